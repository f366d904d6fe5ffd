#include "base/bf16.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(Bf16, EveryNumberSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const Bf16 x{static_cast<uint16_t>(bits)};
    const float wide = ToFloat(x);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(ToFloat(RoundToBf16(wide))));
    } else {
      EXPECT_EQ(RoundToBf16(wide), x);
      EXPECT_TRUE(IsExactBf16(wide));
    }
  }
}

TEST(Bf16, TiesGoToEven) {
  EXPECT_EQ(RoundToBf16(std::bit_cast<float>(0x3F808000u)).bits, 0x3F80);
  EXPECT_EQ(RoundToBf16(std::bit_cast<float>(0x3F818000u)).bits, 0x3F82);
  EXPECT_EQ(RoundToBf16(std::bit_cast<float>(0x3F808001u)).bits, 0x3F81);
  EXPECT_FALSE(IsExactBf16(std::bit_cast<float>(0x3F808000u)));
}

TEST(Float16, WidensEveryKindOfNumber) {
  EXPECT_EQ(ToFloat(Float16{0x3C00}), 1.0f);
  EXPECT_EQ(ToFloat(Float16{0xC000}), -2.0f);
  EXPECT_EQ(ToFloat(Float16{0x7BFF}), 65504.0f);
  EXPECT_EQ(ToFloat(Float16{0x0001}), std::ldexp(1.0f, -24));
  EXPECT_EQ(ToFloat(Float16{0x83FF}), -std::ldexp(1023.0f, -24));
  EXPECT_TRUE(std::signbit(ToFloat(Float16{0x8000})));
  EXPECT_EQ(ToFloat(Float16{0xFC00}), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(ToFloat(Float16{0x7E00})));
}

}  // namespace
}  // namespace ocelli
