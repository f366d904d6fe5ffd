#include "tensor/tensor_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "base/bf16.h"
#include "base/check.h"

namespace ocelli {
namespace {

// memcpy: safetensors does not align tensors.
template <typename T>
T Load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

}  // namespace

size_t DTypeBytes(DType type) { return type == DType::kFloat32 ? 4 : 2; }

std::string_view DTypeName(DType type) {
  switch (type) {
    case DType::kBf16:
      return "BF16";
    case DType::kFloat16:
      return "F16";
    case DType::kFloat32:
      return "F32";
  }
  OCELLI_CHECK(false, "unknown DType {}", static_cast<int>(type));
}

size_t TensorView::NumElements() const {
  size_t count = 1;
  for (size_t extent : shape) count *= extent;
  return count;
}

std::string TensorView::ShapeString() const { return fmt::format("[{}]", fmt::join(shape, ", ")); }

float TensorView::At(size_t index) const {
  float value = 0;
  WidenTo(*this, index, std::span<float>(&value, 1));
  return value;
}

void WidenTo(const TensorView& tensor, size_t begin, std::span<float> out) {
  const size_t element_bytes = DTypeBytes(tensor.dtype);
  OCELLI_CHECK((begin + out.size()) * element_bytes <= tensor.bytes.size(),
               "elements {}..{} of a tensor {}", begin, begin + out.size(), tensor.ShapeString());
  const std::byte* from = tensor.bytes.data() + begin * element_bytes;
  switch (tensor.dtype) {
    case DType::kBf16:
      for (size_t i = 0; i < out.size(); ++i) out[i] = ToFloat(Load<Bf16>(from + 2 * i));
      return;
    case DType::kFloat16:
      for (size_t i = 0; i < out.size(); ++i) out[i] = ToFloat(Load<Float16>(from + 2 * i));
      return;
    case DType::kFloat32:
      if (!out.empty()) std::memcpy(out.data(), from, out.size_bytes());
      return;
  }
}

}  // namespace ocelli
