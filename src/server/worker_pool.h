#ifndef OCELLI_SERVER_WORKER_POOL_H_
#define OCELLI_SERVER_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "parallel/thread_pool.h"

namespace ocelli::server {

// Threads for what would hold up a connection: parsing, decoding and fetching. Each has a
// ThreadPool of one for calls that want a pool; the compute pool is the engine's alone.
// **Threads**: Post from any.
class WorkerPool {
 public:
  // `pool` has one thread: the worker itself. A task must not throw anything but bad_alloc.
  using Task = std::function<void(ThreadPool& pool)>;

  WorkerPool(size_t num_threads, size_t max_waiting);
  // Stops.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Has `task` run. Returns false, and forgets it, when `max_waiting` tasks wait already or the
  // pool has stopped.
  bool Post(Task task);

  // Forgets what waits, and returns when what runs has ended.
  void Stop();

 private:
  void Run();

  const size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_WORKER_POOL_H_
