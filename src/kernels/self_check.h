#ifndef OCELLI_KERNELS_SELF_CHECK_H_
#define OCELLI_KERNELS_SELF_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "parallel/thread_pool.h"

namespace ocelli {

// How one kernel did beside its twin in double precision.
struct KernelCheck {
  std::string_view kernel;
  size_t results = 0;     // numbers that were compared
  double worst = 0;       // largest error, in parts of what its rounding allows; at most 1 is right
  uint64_t checksum = 0;  // of the results' bits

  bool passed() const { return worst <= 1; }
};

// Runs every kernel on the active target, with the same numbers each time, and compares what it
// gives with kernels/reference. Targets with fused multiply-adds (all but scalar) must also agree
// in `checksum`. Takes well under a second. **Threads**: uses `pool`.
std::vector<KernelCheck> CheckKernels(ThreadPool& pool);

}  // namespace ocelli

#endif  // OCELLI_KERNELS_SELF_CHECK_H_
