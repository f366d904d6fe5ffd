#include "engine/engine.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine_core.h"
#include "engine/model_runner.h"

namespace ocelli {
namespace {

Status CheckOptions(const EngineOptions& options, const ModelTraits& traits) {
  const auto at_least_one = [](std::string_view name, size_t value) -> Status {
    if (value > 0) return {};
    return Error{ErrorCode::kInvalidArgument, fmt::format("{} is 0; it must be at least 1", name),
                 std::string(name)};
  };
  OCELLI_RETURN_IF_ERROR(at_least_one("max_queue", options.max_queue));
  OCELLI_RETURN_IF_ERROR(at_least_one("max_sequences", options.max_sequences));
  OCELLI_RETURN_IF_ERROR(at_least_one("prefill_chunk_tokens", options.prefill_chunk_tokens));
  OCELLI_RETURN_IF_ERROR(
      at_least_one("shared_prefill_chunk_tokens", options.shared_prefill_chunk_tokens));
  if (!(options.step_seconds >= 0 && options.shared_step_seconds >= 0)) {
    return Error{ErrorCode::kInvalidArgument, "step_seconds must not be negative", "step_seconds"};
  }
  if (options.kv_memory_bytes >= traits.kv_block_bytes) return {};
  return Error{
      ErrorCode::kResourceExhausted,
      fmt::format("KV memory of {} bytes does not hold one block of {} tokens, which takes "
                  "{}: allow more",
                  options.kv_memory_bytes, kKvBlockTokens, traits.kv_block_bytes),
      "kv_memory"};
}

}  // namespace

// Callers leave requests and cancellations in a mailbox; the thread empties it between two steps.
class Engine::Impl {
 public:
  Impl(const EngineOptions& options, std::unique_ptr<ModelRunner> runner,
       std::shared_ptr<const Tokenizer> tokenizer)
      : max_queue_(options.max_queue),
        tokenizer_(std::move(tokenizer)),
        core_(options, std::move(runner), *tokenizer_,
              [] { return std::chrono::steady_clock::now(); }),
        stats_(core_.Stats()),
        thread_([this] { Run(); }) {}

  ~Impl() { Stop(); }

  Result<RequestId> Submit(GenerateRequest request, EventSink sink) {
    OCELLI_ASSIGN_OR_RETURN(AcceptedRequest accepted, core_.Check(std::move(request)));
    accepted.sink = std::move(sink);
    accepted.submitted = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    if (!accepting_) {
      return Error{ErrorCode::kUnavailable, "the engine is stopping and takes no more requests",
                   ""};
    }
    if (stats_.waiting_requests >= max_queue_) {
      ++num_refused_;
      return Error{ErrorCode::kResourceExhausted,
                   fmt::format("{} requests wait already, which is the limit: try again later",
                               stats_.waiting_requests),
                   ""};
    }
    const RequestId id = ++last_id_;
    accepted.id = id;
    arrivals_.push_back(std::move(accepted));
    ++stats_.waiting_requests;
    idle_ = false;
    wake_.notify_one();
    return id;
  }

  void Cancel(RequestId id) {
    const std::lock_guard lock(mutex_);
    cancels_.push_back(id);
    wake_.notify_one();
  }

  void Drain() {
    std::unique_lock lock(mutex_);
    accepting_ = false;
    drained_.wait(lock, [this] { return idle_; });
  }

  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      accepting_ = false;
      stopping_ = true;
      wake_.notify_one();
    }
    const std::lock_guard join_lock(join_mutex_);
    if (thread_.joinable()) thread_.join();
  }

  EngineStats Stats() const {
    const std::lock_guard lock(mutex_);
    EngineStats stats = stats_;
    stats.requests_refused = num_refused_;
    return stats;
  }

 private:
  void Run() {
    while (EmptyMailbox()) {
      core_.Begin();
      Publish();  // who left the queue makes room in it now, not after the pass
      core_.Compute();
      Publish();
    }
  }

  // Waits for mail when there is no work. Returns false when the engine stops.
  bool EmptyMailbox() {
    std::vector<AcceptedRequest> arrivals;
    std::vector<RequestId> cancels;
    bool stopping = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] {
        return stopping_ || !arrivals_.empty() || !cancels_.empty() || !core_.idle();
      });
      arrivals.swap(arrivals_);
      cancels.swap(cancels_);
      stopping = stopping_;
    }
    for (AcceptedRequest& accepted : arrivals) core_.Add(std::move(accepted));
    for (const RequestId id : cancels) core_.Cancel(id);
    if (!stopping) return true;
    core_.CancelAll();
    Publish();
    return false;
  }

  // Shows callers the state of now.
  void Publish() {
    const std::lock_guard lock(mutex_);
    stats_ = core_.Stats();
    stats_.waiting_requests += arrivals_.size();
    idle_ = core_.idle() && arrivals_.empty();
    if (idle_) drained_.notify_all();
  }

  const size_t max_queue_;
  const std::shared_ptr<const Tokenizer> tokenizer_;
  EngineCore core_;  // the engine thread's, but for Check

  mutable std::mutex mutex_;  // guards all of this
  std::condition_variable wake_;
  std::condition_variable drained_;
  std::vector<AcceptedRequest> arrivals_;
  std::vector<RequestId> cancels_;
  RequestId last_id_ = 0;
  bool accepting_ = true;
  bool stopping_ = false;
  bool idle_ = true;
  uint64_t num_refused_ = 0;
  EngineStats stats_;  // of the last Publish, with the arrivals since

  std::mutex join_mutex_;
  std::thread thread_;  // last: it uses all of the above
};

Result<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options,
                                               std::unique_ptr<ModelRunner> runner,
                                               std::shared_ptr<const Tokenizer> tokenizer) {
  OCELLI_RETURN_IF_ERROR(CheckOptions(options, runner->traits()));
  return std::unique_ptr<Engine>(
      new Engine(std::make_unique<Impl>(options, std::move(runner), std::move(tokenizer))));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<RequestId> Engine::Submit(GenerateRequest request, EventSink sink) {
  return impl_->Submit(std::move(request), std::move(sink));
}
void Engine::Cancel(RequestId id) { impl_->Cancel(id); }
void Engine::Drain() { impl_->Drain(); }
void Engine::Stop() { impl_->Stop(); }
EngineStats Engine::Stats() const { return impl_->Stats(); }

}  // namespace ocelli
