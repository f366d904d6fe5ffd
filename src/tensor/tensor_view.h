#ifndef OCELLI_TENSOR_TENSOR_VIEW_H_
#define OCELLI_TENSOR_TENSOR_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ocelli {

// Number formats of published checkpoints.
enum class DType { kBf16, kFloat16, kFloat32 };

// Returns the size of one number in bytes.
size_t DTypeBytes(DType type);
// Returns "BF16", "F16" or "F32", as safetensors writes them.
std::string_view DTypeName(DType type);

// A borrowed dense tensor of a checkpoint, row-major. The bytes need not be aligned.
struct TensorView {
  DType dtype = DType::kFloat32;
  std::vector<size_t> shape;
  std::span<const std::byte> bytes;  // exactly NumElements() * DTypeBytes(dtype)

  size_t NumElements() const;
  // Returns "[2048, 1024]".
  std::string ShapeString() const;
  // Returns element `index` (row-major) widened to float32; exact.
  float At(size_t index) const;
};

// Widens elements [begin, begin + out.size()) of `tensor` to float32; exact.
void WidenTo(const TensorView& tensor, size_t begin, std::span<float> out);

}  // namespace ocelli

#endif  // OCELLI_TENSOR_TENSOR_VIEW_H_
