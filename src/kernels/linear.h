#ifndef OCELLI_KERNELS_LINEAR_H_
#define OCELLI_KERNELS_LINEAR_H_

#include <cstddef>

#include "base/aligned_buffer.h"
#include "kernels/packed_matrix.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// Working memory of Linear, planned once for the largest call.
class LinearScratch {
 public:
  // **Shapes**: enough for x [max_rows, max_inputs] on `num_threads` threads.
  LinearScratch(size_t max_rows, size_t max_inputs, int num_threads);
  size_t max_rows() const { return max_rows_; }
  size_t max_inputs() const { return max_inputs_; }
  int num_threads() const { return num_threads_; }
  float* data() { return reinterpret_cast<float*>(buffer_.data()); }
  // Returns the memory that such a scratch takes.
  static size_t BytesFor(size_t max_rows, size_t max_inputs, int num_threads);

 private:
  AlignedBuffer buffer_;
  size_t max_rows_;
  size_t max_inputs_;
  int num_threads_;
};

// Returns the format that Linear reads fastest on the active target: fewer bytes where vectors
// decode them faster than memory delivers them.
WeightFormat FastestWeightFormat() noexcept;

// Returns the format called `name` (see WeightFormatName); the fastest for "auto" and all else.
WeightFormat WeightFormatNamed(std::string_view name) noexcept;

enum class LinearMode {
  kStore,  // y = x W^T + bias
  kAdd,    // y = y + (x W^T + bias), the residual add
};

// Multiplies rows by a packed weight matrix; the order of each sum stands at kSumBlockInputs.
// `bias` is null or [N].
// **Shapes**: x [M, K], w [N, K], y [M, N]; x and y do not overlap.
// **Threads**: uses `pool`; splits N, never K, so the result does not depend on the thread count.
void Linear(MatView<const float> x, const PackedMatrix& w, const float* bias, MatView<float> y,
            LinearMode mode, LinearScratch& scratch, ThreadPool& pool) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_LINEAR_H_
