#include "server/generation.h"

#include <utility>
#include <variant>

#include "server/dispatcher.h"

namespace ocelli::server {

using Clock = std::chrono::steady_clock;

Generation::Generation(Dispatcher& dispatcher, std::shared_ptr<const Service> service,
                       std::shared_ptr<GenerationObserver> observer, std::string name,
                       std::string scope)
    : service_(std::move(service)),
      name_(std::move(name)),
      preparation_(std::make_shared<Preparation>(dispatcher.tools(), service_, std::move(scope))),
      dispatcher_(&dispatcher),
      observer_(std::move(observer)) {}

void Generation::Run(api::GenerationCall call, std::shared_ptr<const void> memory) {
  timeout_ = call.timeout;
  prompt_field_ = call.prompt_field;
  preparation_->Start(std::move(call), std::move(memory),
                      [self = shared_from_this()](Result<PreparedCall> prepared) {
                        self->Submit(std::move(prepared));
                      });
}

void Generation::Refuse(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (dispatcher_ && error.code == ErrorCode::kResourceExhausted) {
      dispatcher_->metrics().CountReject();
    }
    if (observer_) observer_->OnRefused(error);
  }
  End();
}

void Generation::Cancel() {
  preparation_->Cancel();
  std::optional<RequestId> id;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    id = id_;
  }
  EndInEngine(id);
}

void Generation::Detach() {
  std::shared_ptr<GenerationObserver> observer;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    observer.swap(observer_);
    share_.reset();
    dispatcher_ = nullptr;
  }
  Cancel();
}

// The engine is never called with the lock held: its thread takes the lock to call the observer.
void Generation::EndInEngine(const std::optional<RequestId>& id) {
  if (id) service_->engine->Cancel(*id);
}

void Generation::Submit(Result<PreparedCall> prepared) {
  if (!prepared.ok()) return Refuse(prepared.error());
  {
    const std::lock_guard lock(mutex_);
    share_ = std::move(prepared->share);
    if (observer_) observer_->OnPrepared(std::move(prepared->pictures), prepared->picture_seconds);
    if (dispatcher_) dispatcher_->EnteredEngine(shared_from_this());
  }
  GenerateRequest& request = prepared->request;
  request.name = name_;
  if (timeout_) request.deadline = Clock::now() + *timeout_;
  const Result<RequestId> id = service_->engine->Submit(
      std::move(request),
      [self = shared_from_this()](Event event) { self->Take(std::move(event)); });
  if (!id.ok()) return Refuse(api::AtPromptField(id.error(), prompt_field_));
  Accepted(*id);
}

void Generation::Accepted(RequestId id) {
  bool cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    id_ = id;
    cancelled = cancelled_;
    if (observer_) observer_->OnAccepted();
  }
  if (cancelled) EndInEngine(id);
}

void Generation::Take(Event event) {
  const bool last = std::holds_alternative<FinishedEvent>(event);
  {
    const std::lock_guard lock(mutex_);
    if (dispatcher_) Observe(event);
    if (observer_) observer_->OnEvent(std::move(event));
  }
  if (last) End();
}

void Generation::Observe(const Event& event) {
  if (const auto* token = std::get_if<TokenEvent>(&event); token != nullptr && token->choice == 0) {
    const Clock::time_point now = Clock::now();
    if (last_token_) {
      dispatcher_->metrics().ObserveInterToken(
          std::chrono::duration<double>(now - *last_token_).count());
    }
    last_token_ = now;
  } else if (const auto* finished = std::get_if<FinishedEvent>(&event)) {
    dispatcher_->ObserveFinished(*finished);
  }
}

void Generation::End() {
  std::shared_ptr<GenerationObserver> observer;  // destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    observer.swap(observer_);
    share_.reset();
    if (dispatcher_) dispatcher_->Ended(shared_from_this());
  }
}

}  // namespace ocelli::server
