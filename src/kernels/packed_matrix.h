#ifndef OCELLI_KERNELS_PACKED_MATRIX_H_
#define OCELLI_KERNELS_PACKED_MATRIX_H_

#include <cstddef>
#include <span>

#include "base/aligned_buffer.h"
#include "base/rounding.h"
#include "parallel/thread_pool.h"
#include "tensor/tensor_view.h"

namespace ocelli {

// Outputs per panel: one vector lane is one output.
inline constexpr size_t kPanelRows = 16;

// How the weights of a PackedMatrix are held; both keep every published number exactly.
enum class WeightFormat { kBf16, kFloat32 };

// The weight W of y = x W^T, [N outputs, K inputs], in output panels:
//
//   panel p = outputs 16p .. 16p+15        element (n, k) at index (n/16 * K + k) * 16 + n%16
//   +--------------+--------------+-----+
//   | k=0: 16 outs | k=1: 16 outs | ... |   K lines of 16 numbers: 32 B (bf16) or 64 B (float32)
//   +--------------+--------------+-----+
//
// so weights stream through memory in order for one row of x or for many. Outputs past N are zeros.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Makes zeros. **Shapes**: [num_outputs, num_inputs].
  PackedMatrix(size_t num_outputs, size_t num_inputs, WeightFormat format);

  size_t num_outputs() const { return num_outputs_; }  // N
  size_t num_inputs() const { return num_inputs_; }    // K
  size_t num_panels() const { return DivideUp(num_outputs_, kPanelRows); }
  WeightFormat format() const { return format_; }
  size_t size_bytes() const { return buffer_.size_bytes(); }

  // Returns the first byte of panel `p`.
  const std::byte* Panel(size_t p) const;

  // Copies `rows` [count, K] (row-major, any dtype) to outputs [first_output, first_output +
  // count): several checkpoint tensors (q, k, v) may share one matrix. A kBf16 matrix takes only
  // values that are exactly bf16 (see AllExactBf16). **Threads**: uses `pool`.
  void SetRows(size_t first_output, const TensorView& rows, ThreadPool& pool);

  // Widens output row `n` (an embedding row) to float32. **Shapes**: out [K].
  void CopyRow(size_t n, std::span<float> out) const;

 private:
  AlignedBuffer buffer_;
  size_t num_outputs_ = 0;
  size_t num_inputs_ = 0;
  WeightFormat format_ = WeightFormat::kBf16;
};

// Returns true when every number of `tensor` survives as bf16, whatever type it is stored in.
bool AllExactBf16(const TensorView& tensor, ThreadPool& pool);

}  // namespace ocelli

#endif  // OCELLI_KERNELS_PACKED_MATRIX_H_
