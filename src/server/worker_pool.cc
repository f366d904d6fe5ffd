#include "server/worker_pool.h"

#include <exception>
#include <utility>

#include "base/log.h"

namespace ocelli::server {

WorkerPool::WorkerPool(size_t num_threads, size_t max_waiting) : max_waiting_(max_waiting) {
  for (size_t i = 0; i < num_threads; ++i) threads_.emplace_back([this] { Run(); });
}

WorkerPool::~WorkerPool() { Stop(); }

bool WorkerPool::Post(Task task) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || tasks_.size() >= max_waiting_) return false;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void WorkerPool::Stop() {
  std::deque<Task> forgotten;  // destroyed without the lock: it may hold anything
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    forgotten.swap(tasks_);
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkerPool::Run() {
  ThreadPool pool(1);
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
      if (stopping_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    try {
      task(pool);
    } catch (const std::exception& error) {
      LogError("a background task failed: {}", error.what());
    }
  }
}

}  // namespace ocelli::server
