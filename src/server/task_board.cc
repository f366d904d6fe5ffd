#include "server/task_board.h"

#include <algorithm>
#include <ctime>
#include <utility>
#include <variant>

namespace ocelli::server {

using Clock = std::chrono::steady_clock;

void Task::SetGeneration(const std::shared_ptr<Generation>& generation) {
  const std::lock_guard lock(mutex_);
  generation_ = generation;
}

void Task::Cancel() {
  std::shared_ptr<Generation> generation;
  {
    const std::lock_guard lock(mutex_);
    generation = generation_.lock();
  }
  if (generation) generation->Cancel();
}

std::string Task::Json() const {
  const std::lock_guard lock(mutex_);
  return task_.Json();
}

bool Task::finished() const {
  const std::lock_guard lock(mutex_);
  return task_.finished();
}

bool Task::HasExpired(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return now >= expires_;
}

void Task::OnPrepared(std::vector<api::PictureUse> pictures, double) {
  const std::lock_guard lock(mutex_);
  task_.SetPictures(std::move(pictures));
}

void Task::OnAccepted() { Settle(Json()); }

void Task::OnRefused(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    task_.Fail(error);
    NoteEnd();
  }
  Settle(error);
}

void Task::OnEvent(Event event) {
  bool settled = false;
  {
    const std::lock_guard lock(mutex_);
    task_.Collect(event);
    if (task_.finished()) NoteEnd();
    settled = settled_ == nullptr;
  }
  if (!settled) Settle(Json());  // an event may overtake the acceptance
}

void Task::Settle(Result<std::string> json) {
  Settled settled;
  {
    const std::lock_guard lock(mutex_);
    settled = std::exchange(settled_, nullptr);
  }
  if (settled) settled(json);
}

// Called with the lock held.
void Task::NoteEnd() {
  expires_ = Clock::now() + lifetime_;
  task_.SetExpiry(static_cast<int64_t>(std::time(nullptr)) + lifetime_.count());
}

void TaskBoard::Add(const std::shared_ptr<Task>& task) {
  task->SetLifetime(lifetime_);
  const std::lock_guard lock(mutex_);
  Tidy(Clock::now());
  tasks_.push_back(task);
  by_id_[task->id()] = std::prev(tasks_.end());
}

void TaskBoard::Remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return;
  tasks_.erase(found->second);
  by_id_.erase(found);
}

std::shared_ptr<Task> TaskBoard::Find(const std::string& id, const std::string& scope) {
  const std::lock_guard lock(mutex_);
  Tidy(Clock::now());
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || (*found->second)->scope() != scope) return nullptr;
  return *found->second;
}

// Forgets what is over its time, and the oldest results when there are too many. How many are not
// finished is bounded by the queue.
void TaskBoard::Tidy(Clock::time_point now) {
  auto num_finished = static_cast<size_t>(std::count_if(
      tasks_.begin(), tasks_.end(), [](const auto& task) { return task->finished(); }));
  for (auto it = tasks_.begin(); it != tasks_.end();) {
    const bool forget =
        (*it)->HasExpired(now) || (num_finished >= max_results_ && (*it)->finished());
    if (!forget) {
      ++it;
      continue;
    }
    --num_finished;
    by_id_.erase((*it)->id());
    it = tasks_.erase(it);
  }
}

}  // namespace ocelli::server
