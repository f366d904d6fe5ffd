#ifndef OCELLI_SERVER_GENERATION_H_
#define OCELLI_SERVER_GENERATION_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/generation_call.h"
#include "api/reply.h"
#include "base/error.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "server/byte_budget.h"
#include "server/preparation.h"
#include "server/service.h"

namespace ocelli::server {

class Dispatcher;

// Hears what becomes of a call: OnPrepared, then OnAccepted and events in any order among each
// other, until a FinishedEvent; or OnRefused alone, or after OnPrepared. Calls come one at a time.
// **Threads**: workers and the engine thread: hand on, and return at once.
class GenerationObserver {
 public:
  virtual ~GenerationObserver() = default;
  virtual void OnPrepared(std::vector<api::PictureUse> pictures, double picture_seconds) = 0;
  virtual void OnAccepted() = 0;
  virtual void OnRefused(const Error& error) = 0;
  virtual void OnEvent(Event event) = 0;
};

// One call on its way through pictures, queue and engine. It lives until its end, whoever else has
// forgotten it. **Threads**: every function from any thread but the engine's.
class Generation : public std::enable_shared_from_this<Generation> {
 public:
  // Made by Dispatcher::Begin.
  Generation(Dispatcher& dispatcher, std::shared_ptr<const Service> service,
             std::shared_ptr<GenerationObserver> observer, std::string name, std::string scope);

  // Prepares `call` and hands it to the engine; `memory` as in Preparation::Start. Call it once, on
  // a worker.
  void Run(api::GenerationCall call, std::shared_ptr<const void> memory);
  // Says that nothing will run, because the call makes no sense.
  void Refuse(const Error& error);
  // Ends it within one step of the engine.
  void Cancel();
  // Ends it, and lets its observer hear nothing more: not even what is being said now when this
  // returns.
  void Detach();
  // Lets go of what waits for workers, of which none is left.
  void Forget() { preparation_->Forget(); }

 private:
  void Submit(Result<PreparedCall> prepared);
  void Accepted(RequestId id);
  void Take(Event event);
  void Observe(const Event& event);
  void End();
  void EndInEngine(const std::optional<RequestId>& id);

  const std::shared_ptr<const Service> service_;
  const std::string name_;
  const std::shared_ptr<Preparation> preparation_;
  std::optional<std::chrono::milliseconds> timeout_;
  std::string_view prompt_field_;
  std::optional<std::chrono::steady_clock::time_point> last_token_;  // the engine thread's

  std::mutex mutex_;        // guards what follows; held while dispatcher and observer are called
  Dispatcher* dispatcher_;  // null once detached: the engine may finish after the server
  std::shared_ptr<GenerationObserver> observer_;  // null at the end
  std::optional<ByteShare> share_;
  std::optional<RequestId> id_;
  bool cancelled_ = false;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_GENERATION_H_
