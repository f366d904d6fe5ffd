#ifndef OCELLI_SERVER_DISPATCHER_H_
#define OCELLI_SERVER_DISPATCHER_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "server/byte_budget.h"
#include "server/generation.h"
#include "server/metrics.h"
#include "server/picture_loader.h"
#include "server/preparation.h"
#include "server/server_options.h"
#include "server/service.h"
#include "server/worker_pool.h"

namespace ocelli::server {

// Runs calls: decides whether there is room for one more, and knows all that are under way.
// **Threads**: every function from any thread.
class Dispatcher {
 public:
  // **Errors**: those of PictureLoader::Create. `metrics` outlives the dispatcher.
  static Result<std::unique_ptr<Dispatcher>> Create(const ServerOptions& options, Metrics& metrics);
  ~Dispatcher();

  // Calls `task` whenever a first call comes after none was under way. Set once, before calls come;
  // it must not call back.
  void OnBusy(std::function<void()> task) { on_busy_ = std::move(task); }
  // Whether no call is under way.
  bool idle() const;

  // Registers a call whose JSON is not read yet. **Errors**: kUnavailable when draining;
  // kResourceExhausted when the queue is full, before anything is spent on the call.
  Result<std::shared_ptr<Generation>> Begin(std::shared_ptr<const Service> service,
                                            std::shared_ptr<GenerationObserver> observer,
                                            std::string name, std::string scope);

  // Runs `task` on a worker. Returns false when too many wait.
  bool Post(WorkerPool::Task task) { return decoders_.Post(std::move(task)); }

  PreparationTools tools() { return {*loader_, decoders_, fetchers_, prepared_}; }
  Metrics& metrics() { return metrics_; }
  // How long somebody who was refused had better wait. **Units**: seconds.
  int RetryAfterSeconds(const Service& service) const;

  // Begins no more calls.
  void Drain();
  // Waits until none is under way; returns false when `timeout` passes first.
  bool WaitUntilIdle(std::chrono::milliseconds timeout);
  // Ends what is under way; observers hear of it.
  void CancelAll();
  // Ends everything at once; no observer hears anything more when this returns.
  void Stop();

 private:
  friend class Generation;
  Dispatcher(const ServerOptions& options, std::unique_ptr<PictureLoader> loader, Metrics& metrics);

  // What generations report.
  void EnteredEngine(const std::shared_ptr<Generation>& generation);
  void Ended(const std::shared_ptr<Generation>& generation);
  void ObserveFinished(const FinishedEvent& finished);
  bool IdleLocked() const { return preparing_.empty() && in_engine_.empty(); }
  std::vector<std::shared_ptr<Generation>> UnderWay() const;

  Metrics& metrics_;
  const std::unique_ptr<PictureLoader> loader_;
  const std::shared_ptr<ByteBudget> prepared_;
  std::function<void()> on_busy_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable idle_;
  std::unordered_set<std::shared_ptr<Generation>> preparing_;
  std::unordered_set<std::shared_ptr<Generation>> in_engine_;
  bool draining_ = false;
  double work_seconds_ = 1;  // of recent requests, without their time in the queue

  WorkerPool decoders_;  // last: their tasks use all of the above
  WorkerPool fetchers_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_DISPATCHER_H_
