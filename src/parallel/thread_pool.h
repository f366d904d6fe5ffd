#ifndef OCELLI_PARALLEL_THREAD_POOL_H_
#define OCELLI_PARALLEL_THREAD_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/function_ref.h"

namespace ocelli {

// A fixed team of compute threads: the calling thread is worker 0, the rest sleep between jobs.
// One job runs at a time, started by one thread at a time (the engine thread). A job costs two
// shared-memory round trips while workers still spin, which they do for a few microseconds before
// they sleep; an idle pool uses no CPU.
class ThreadPool {
 public:
  // Starts `num_threads` - 1 threads (at least 0), or, with a warning, as many as the system
  // allows.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls body(worker) once for each worker in [0, num_threads()) and returns when all have
  // returned. Does not allocate. **Threads**: one caller at a time, never from inside a body.
  void Run(FunctionRef<void(int worker)> body) noexcept;

  // Calls body(task, worker) for each task in [0, count), handing tasks out one at a time in order:
  // for tasks of uneven cost or a machine whose cores are not equally free.
  void ForEach(size_t count, FunctionRef<void(size_t task, int worker)> body) noexcept;

  // Calls body(begin, end, worker) once for each worker with its share of [0, count), shares being
  // contiguous, in worker order and multiples of `granularity` long (but for the last).
  void ForRanges(size_t count, size_t granularity,
                 FunctionRef<void(size_t begin, size_t end, int worker)> body) noexcept;

  // Returns how many jobs have run: each is one fork and join (a decode step's are counted in
  // tests).
  uint64_t num_jobs() const { return job_.load(std::memory_order_relaxed); }

 private:
  void WorkerLoop(int worker);

  alignas(kCacheLineBytes) std::atomic<uint64_t> job_{0};  // counts jobs; workers wait for a change
  alignas(kCacheLineBytes) std::atomic<int> running_{0};   // workers still inside the current job
  alignas(kCacheLineBytes) std::atomic<size_t> next_task_{0};
  const FunctionRef<void(int)>* body_ = nullptr;  // published by job_
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace ocelli

#endif  // OCELLI_PARALLEL_THREAD_POOL_H_
