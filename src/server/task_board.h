#ifndef OCELLI_SERVER_TASK_BOARD_H_
#define OCELLI_SERVER_TASK_BOARD_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/predict_task.h"
#include "base/error.h"
#include "server/exchange.h"
#include "server/generation.h"

namespace ocelli::server {

// One POST /predict: goes on when its client has left, and is asked about by its id.
// **Threads**: any.
class Task : public GenerationObserver, public std::enable_shared_from_this<Task> {
 public:
  using Settled = std::function<void(const Result<std::string>& json)>;

  // `settled` is called once: with what Json() says when the engine has accepted the call, or with
  // why it has not.
  Task(api::PredictTask task, std::string scope, Settled settled)
      : scope_(std::move(scope)), settled_(std::move(settled)), task_(std::move(task)) {}

  const std::string& id() const { return task_.id(); }
  const std::string& scope() const { return scope_; }
  void SetGeneration(const std::shared_ptr<Generation>& generation);
  void Cancel();

  std::string Json() const;
  bool finished() const;
  // Makes it forgotten at `expires`, once it has finished.
  void SetLifetime(std::chrono::seconds lifetime) { lifetime_ = lifetime; }
  bool HasExpired(std::chrono::steady_clock::time_point now) const;

  void OnPrepared(std::vector<api::PictureUse> pictures, double picture_seconds) override;
  void OnAccepted() override;
  void OnRefused(const Error& error) override;
  void OnEvent(Event event) override;

 private:
  void Settle(Result<std::string> json);
  void NoteEnd();

  const std::string scope_;
  std::chrono::seconds lifetime_{0};
  mutable std::mutex mutex_;  // guards what follows
  Settled settled_;           // null once called
  api::PredictTask task_;
  std::weak_ptr<Generation> generation_;
  std::chrono::steady_clock::time_point expires_ = std::chrono::steady_clock::time_point::max();
};

// Knows the tasks of POST /predict by their ids; finished ones for a while. **Threads**: any.
class TaskBoard {
 public:
  TaskBoard(std::chrono::seconds lifetime, size_t max_results)
      : lifetime_(lifetime), max_results_(max_results) {}

  void Add(const std::shared_ptr<Task>& task);
  void Remove(const std::string& id);
  // Returns the task, null when there is none of that id in that scope.
  std::shared_ptr<Task> Find(const std::string& id, const std::string& scope);

 private:
  void Tidy(std::chrono::steady_clock::time_point now);

  const std::chrono::seconds lifetime_;
  const size_t max_results_;
  std::mutex mutex_;                        // guards what follows
  std::list<std::shared_ptr<Task>> tasks_;  // the oldest first
  std::unordered_map<std::string, std::list<std::shared_ptr<Task>>::iterator> by_id_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_TASK_BOARD_H_
