#ifndef OCELLI_KERNELS_PACKED_MATRIX_H_
#define OCELLI_KERNELS_PACKED_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/error.h"
#include "base/function_ref.h"
#include "base/rounding.h"
#include "kernels/packed12.h"
#include "parallel/thread_pool.h"
#include "tensor/tensor_view.h"

namespace ocelli {

// Outputs per panel: one vector lane is one output.
inline constexpr size_t kPanelRows = 16;

// Inputs per block of a sum: each output is the sum over blocks of 128 inputs, each block a chain
// of fused multiply-adds from zero, blocks added in order; then the bias, then what was there
// before. One row and many rows follow the same order, so they give the same bits
// (docs/numerics.md).
inline constexpr size_t kSumBlockInputs = 128;

// How the weights of a PackedMatrix are held; each keeps every published number exactly.
enum class WeightFormat { kBf16, kFloat32, kPacked12 };
inline constexpr size_t kNumWeightFormats = 3;
// Returns "bf16", "float32" or "packed12".
std::string_view WeightFormatName(WeightFormat format);

// Where the weights of one panel stand.
struct PanelView {
  const std::byte* lines = nullptr;  // kPacked12: units of eight (packed12.h)
  // Of kPacked12 only.
  const Packed12Table* table = nullptr;
  const uint32_t* block_begins = nullptr;  // [sum blocks + 1] into `escapes`
  const Escape* escapes = nullptr;
};

// The memory of a matrix, piece by piece, as a packed file keeps it.
struct PackedMatrixParts {
  std::span<const std::byte> lines;  // [num_panels, panel_bytes]
  // Of kPacked12 only.
  std::span<const Packed12Table> tables;   // [num_panels]
  std::span<const uint32_t> block_begins;  // [num_panels, sum blocks + 1] into `escapes`
  std::span<const Escape> escapes;         // panel by panel
};

// The weight W of y = x W^T, [N outputs, K inputs], in output panels:
//
//   panel p = outputs 16p .. 16p+15        element (n, k) at index (n/16 * K + k) * 16 + n%16
//   +--------------+--------------+-----+
//   | k=0: 16 outs | k=1: 16 outs | ... |   K lines of 16 numbers: 32 B (bf16) or 64 B (float32)
//   +--------------+--------------+-----+
//
// so weights stream through memory in order for one row of x or for many. Outputs past N are zeros.
// A kPacked12 panel has the same lines in units of eight (packed12.h), and tables beside them.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Makes zeros, as kBf16 or kFloat32. **Shapes**: [num_outputs, num_inputs].
  PackedMatrix(size_t num_outputs, size_t num_inputs, WeightFormat format);

  size_t num_outputs() const { return num_outputs_; }  // N
  size_t num_inputs() const { return num_inputs_; }    // K
  size_t num_panels() const { return DivideUp(num_outputs_, kPanelRows); }
  WeightFormat format() const { return format_; }
  size_t size_bytes() const;
  // Returns the bytes of one line of 16 weights, and of one panel.
  size_t line_bytes() const;
  size_t panel_bytes() const;

  PanelView Panel(size_t p) const;

  // Returns a kBf16 matrix as kPacked12: the same numbers in three quarters of the memory.
  // **Threads**: uses `pool`.
  PackedMatrix Compressed(ThreadPool& pool) const;
  // Returns `tensors`, which have the same inputs K and only exact bf16 numbers, one under the
  // other as kPacked12. **Shapes**: tensors[i] [outputs, num_inputs]. **Threads**: uses `pool`.
  static PackedMatrix CompressedOf(std::span<const TensorView> tensors, size_t num_inputs,
                                   ThreadPool& pool);

  // Returns a matrix that reads `parts` where they are; `memory` keeps them there.
  // **Errors**: kCorruptData when they are not those of such a matrix: whatever bytes they hold,
  // what is returned is safe to compute with.
  static Result<PackedMatrix> FromParts(size_t num_outputs, size_t num_inputs, WeightFormat format,
                                        const PackedMatrixParts& parts,
                                        std::shared_ptr<const void> memory);
  const PackedMatrixParts& parts() const { return parts_; }
  // Returns the same matrix in memory of its own, which is in huge pages where those are on (see
  // AlignedBuffer). **Threads**: uses `pool`.
  PackedMatrix Copied(ThreadPool& pool) const;
  // Returns the share of weights that a kPacked12 matrix lists as escapes.
  double EscapeShare() const;

  // Copies `rows` [count, K] (row-major, any dtype) to outputs [first_output, first_output +
  // count): several checkpoint tensors (q, k, v) may share one matrix. A kBf16 matrix takes only
  // values that are exactly bf16 (see AllExactBf16). **Threads**: uses `pool`.
  void SetRows(size_t first_output, const TensorView& rows, ThreadPool& pool);

  // Widens output row `n` (an embedding row) to float32. **Shapes**: out [K].
  void CopyRow(size_t n, std::span<float> out) const;

 private:
  // Returns the [K][16] bf16 lines of a panel, in `scratch` (as large) or where they are.
  using PanelReader = FunctionRef<const uint16_t*(size_t panel, uint16_t* scratch)>;
  static PackedMatrix Compress(size_t num_outputs, size_t num_inputs, PanelReader read,
                               ThreadPool& pool);
  PackedMatrixParts OwnParts() const;

  PackedMatrixParts parts_;  // what is read: the four below, or memory_
  AlignedBuffer buffer_;
  std::vector<Packed12Table> tables_;
  std::vector<uint32_t> block_begins_;
  std::vector<Escape> escapes_;
  std::shared_ptr<const void> memory_;
  size_t num_outputs_ = 0;
  size_t num_inputs_ = 0;
  WeightFormat format_ = WeightFormat::kBf16;
};

// Returns true when every number of `tensor` survives as bf16, whatever type it is stored in.
bool AllExactBf16(const TensorView& tensor, ThreadPool& pool);

}  // namespace ocelli

#endif  // OCELLI_KERNELS_PACKED_MATRIX_H_
