#include "kernels/packed_matrix.h"

#include <cstring>

#include "base/bf16.h"
#include "base/check.h"

namespace ocelli {
namespace {

size_t WeightBytes(WeightFormat format) { return format == WeightFormat::kBf16 ? 2 : 4; }

}  // namespace

PackedMatrix::PackedMatrix(size_t num_outputs, size_t num_inputs, WeightFormat format)
    : buffer_((num_outputs + kPanelRows - 1) / kPanelRows * kPanelRows * num_inputs *
              WeightBytes(format)),
      num_outputs_(num_outputs),
      num_inputs_(num_inputs),
      format_(format) {}

const std::byte* PackedMatrix::Panel(size_t p) const {
  return buffer_.data() + p * kPanelRows * num_inputs_ * WeightBytes(format_);
}

void PackedMatrix::SetRows(size_t first_output, const TensorView& rows, ThreadPool& pool) {
  const size_t count = rows.NumElements() / num_inputs_;
  pool.ForEach(count, [&](size_t r, int) {
    const size_t n = first_output + r;
    std::byte* panel =
        buffer_.data() + n / kPanelRows * kPanelRows * num_inputs_ * WeightBytes(format_);
    for (size_t k = 0; k < num_inputs_; ++k) {
      const float value = rows.At(r * num_inputs_ + k);
      const size_t index = k * kPanelRows + n % kPanelRows;
      if (format_ == WeightFormat::kBf16) {
        reinterpret_cast<Bf16*>(panel)[index] = RoundToBf16(value);
      } else {
        reinterpret_cast<float*>(panel)[index] = value;
      }
    }
  });
}

void PackedMatrix::CopyRow(size_t n, std::span<float> out) const {
  const std::byte* panel = Panel(n / kPanelRows);
  for (size_t k = 0; k < num_inputs_; ++k) {
    const size_t index = k * kPanelRows + n % kPanelRows;
    out[k] = format_ == WeightFormat::kBf16 ? ToFloat(reinterpret_cast<const Bf16*>(panel)[index])
                                            : reinterpret_cast<const float*>(panel)[index];
  }
}

bool AllExactBf16(const TensorView& tensor, ThreadPool&) {
  if (tensor.dtype == DType::kBf16) return true;
  for (size_t i = 0; i < tensor.NumElements(); ++i) {
    if (!IsExactBf16(tensor.At(i))) return false;
  }
  return true;
}

}  // namespace ocelli
