#ifndef OCELLI_KERNELS_PEAKS_H_
#define OCELLI_KERNELS_PEAKS_H_

#include <cstddef>

#include "base/aligned_buffer.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// What this machine can do at best right now, measured by loops that do nothing else. The host may
// be shared, so measure a peak beside each figure that is compared with it.

// Returns the multiply-add rate of all threads of `pool` on the active target, in registers alone.
// **Units**: floating-point operations per second, two for a multiply-add; `seconds` to measure
// for.
double MeasureFmaPeak(double seconds, ThreadPool& pool);

// Memory too large for caches, to measure reading with.
class ReadBuffer {
 public:
  // Writes every page. **Units**: bytes.
  ReadBuffer(size_t size_bytes, ThreadPool& pool);
  // Reads on from where the last call stopped, for about `seconds`, all threads side by side.
  // Returns bytes per second.
  double MeasureBandwidth(double seconds, ThreadPool& pool);

 private:
  AlignedBuffer buffer_;
  size_t next_chunk_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_KERNELS_PEAKS_H_
