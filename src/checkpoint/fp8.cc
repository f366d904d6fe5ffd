#include "checkpoint/fp8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/rounding.h"

namespace ocelli {
namespace {

constexpr int kMantissaBits = 3;
constexpr int kExponentBias = 7;

std::array<float, 256> MakeTable() {
  std::array<float, 256> table{};
  for (size_t bits = 0; bits < table.size(); ++bits) {
    const auto mantissa = static_cast<float>(bits & 7);
    const int exponent = static_cast<int>(bits >> kMantissaBits & 15);
    float value = exponent == 0
                      ? std::ldexp(mantissa, 1 - kExponentBias - kMantissaBits)
                      : std::ldexp(8 + mantissa, exponent - kExponentBias - kMantissaBits);
    if ((bits & 127) == 127) value = std::numeric_limits<float>::quiet_NaN();
    table[bits] = (bits & 128) != 0 ? -value : value;
  }
  return table;
}

const std::array<float, 256>& Table() {
  static const std::array<float, 256> table = MakeTable();
  return table;
}

}  // namespace

float Fp8ToFloat(uint8_t bits) { return Table()[bits]; }

void DequantizeFp8(std::span<const std::byte> weights, size_t rows, size_t cols,
                   const TensorView& scales, Fp8Blocks blocks, std::span<float> out) {
  const size_t blocks_across = DivideUp(cols, blocks.cols);
  OCELLI_CHECK(weights.size() == rows * cols && out.size() == rows * cols &&
                   scales.NumElements() == DivideUp(rows, blocks.rows) * blocks_across,
               "fp8 [{}, {}] with scales {}", rows, cols, scales.ShapeString());
  const std::array<float, 256>& table = Table();
  for (size_t r = 0; r < rows; ++r) {
    for (size_t block = 0; block < blocks_across; ++block) {
      const float scale = scales.At(r / blocks.rows * blocks_across + block);
      const size_t end = r * cols + std::min(cols, (block + 1) * blocks.cols);
      for (size_t i = r * cols + block * blocks.cols; i < end; ++i) {
        out[i] = table[static_cast<size_t>(weights[i])] * scale;
      }
    }
  }
}

}  // namespace ocelli
