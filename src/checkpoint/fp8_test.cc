#include "checkpoint/fp8.h"

#include <cmath>
#include <vector>

#include "base/bf16.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(Fp8Test, ReadsTheNumbersOfTheFormat) {
  EXPECT_EQ(Fp8ToFloat(0x00), 0.0f);
  EXPECT_TRUE(std::signbit(Fp8ToFloat(0x80)));
  EXPECT_EQ(Fp8ToFloat(0x38), 1.0f);
  EXPECT_EQ(Fp8ToFloat(0xb8), -1.0f);
  EXPECT_EQ(Fp8ToFloat(0x01), 0x1p-9f);      // the smallest
  EXPECT_EQ(Fp8ToFloat(0x07), 7 * 0x1p-9f);  // the largest subnormal
  EXPECT_EQ(Fp8ToFloat(0x08), 0x1p-6f);      // the smallest normal
  EXPECT_EQ(Fp8ToFloat(0x7e), 448.0f);       // the largest
  EXPECT_TRUE(std::isnan(Fp8ToFloat(0x7f)));
  EXPECT_TRUE(std::isnan(Fp8ToFloat(0xff)));
  for (unsigned bits = 0; bits < 0x7e; ++bits) {
    EXPECT_LT(Fp8ToFloat(static_cast<uint8_t>(bits)), Fp8ToFloat(static_cast<uint8_t>(bits + 1)));
  }
}

TEST(Fp8Test, EachBlockHasItsScaleAlsoWhereItIsCut) {
  constexpr size_t kRows = 5, kCols = 7;
  std::vector<std::byte> weights(kRows * kCols);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::byte>(i * 3 % 120);
  std::vector<Bf16> scales;  // [3, 3]
  for (int i = 0; i < 9; ++i) scales.push_back(RoundToBf16(0.0123f * static_cast<float>(i + 1)));
  const TensorView view{DType::kBf16, {3, 3}, std::as_bytes(std::span(scales))};
  std::vector<float> out(kRows * kCols);
  DequantizeFp8(weights, kRows, kCols, view, {2, 3}, out);
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t c = 0; c < kCols; ++c) {
      const double exact = double{Fp8ToFloat(static_cast<uint8_t>(weights[r * kCols + c]))} *
                           double{ToFloat(scales[r / 2 * 3 + c / 3])};
      EXPECT_EQ(double{out[r * kCols + c]}, exact) << r << ", " << c;
    }
  }
}

}  // namespace
}  // namespace ocelli
