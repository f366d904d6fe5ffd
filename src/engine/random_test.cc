#include "engine/random.h"

#include <gtest/gtest.h>

#include <set>

namespace ocelli {
namespace {

using Words = std::array<uint32_t, 4>;

// The known answers that the authors publish with Random123 (kat_vectors).
TEST(Philox, EqualsThePublishedVectors) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(TokenUniform, DiffersBySeedChoiceAndIndexAndStaysInRange) {
  std::set<double> seen;
  double sum = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint32_t choice = 0; choice < 10; ++choice) {
      for (uint64_t index = 0; index < 100; ++index) {
        const double u = TokenUniform(seed, choice, index);
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        seen.insert(u);
        sum += u;
      }
    }
  }
  EXPECT_EQ(seen.size(), 10'000u);
  EXPECT_NEAR(sum / 10'000, 0.5, 0.01);
}

TEST(TokenUniform, IsTheSameOnEveryMachine) {
  EXPECT_EQ(TokenUniform(0, 0, 0), static_cast<double>(0x6627e8d5e169c58dull >> 11) * 0x1p-53);
}

}  // namespace
}  // namespace ocelli
