#ifndef OCELLI_KERNELS_FORK_H_
#define OCELLI_KERNELS_FORK_H_

#include <cstddef>

#include "base/function_ref.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// Numbers below which work that passes once over memory stays on the calling thread. On an Emerald
// Rapids core at 2.3 GHz a number costs 0.2 ns (a norm) to 1.2 ns (a gelu), so this many cost 7 to
// 40 us; a fork and join costs 0.5 us while the other threads wait for work, and 40 us when the
// machine is busy with something else.
inline constexpr size_t kMinNumbersToFork = size_t{1} << 15;

// Calls body(begin, end) for all of [0, rows): shared out over `pool` when rows * cols is large,
// else on the calling thread.
inline void ForRowRanges(size_t rows, size_t cols, ThreadPool& pool,
                         FunctionRef<void(size_t begin, size_t end)> body) noexcept {
  if (rows < 2 || rows * cols < kMinNumbersToFork || pool.num_threads() == 1) {
    if (rows > 0) body(0, rows);
    return;
  }
  pool.ForRanges(rows, 1, [&](size_t begin, size_t end, int) { body(begin, end); });
}

}  // namespace ocelli

#endif  // OCELLI_KERNELS_FORK_H_
