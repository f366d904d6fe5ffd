#include "model/pass_profile.h"

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(PassProfile, SumsTheCallsOfEachKernelInTheOrderOfTheFirst) {
  PassProfile profile;
  profile.Add({"qkv", 10, 2}, 0.5);
  profile.Add({"attention", 4, 1}, 0.25);
  profile.Add({"qkv", 10, 2}, 1.5);
  ASSERT_EQ(profile.kernels().size(), 2u);
  const KernelTime& qkv = profile.kernels()[0];
  EXPECT_EQ(qkv.work.name, "qkv");
  EXPECT_EQ(qkv.calls, 2u);
  EXPECT_EQ(qkv.seconds, 2.0);
  EXPECT_EQ(qkv.work.flops, 20);
  EXPECT_EQ(qkv.work.bytes, 4);
  EXPECT_EQ(profile.kernels()[1].work.name, "attention");
}

TEST(PassProfile, WithoutOneTheWorkIsDoneAllTheSame) {
  int runs = 0;
  Timed(nullptr, "work", [&] { ++runs; });
  PassProfile profile;
  Timed(&profile, "work", [&] { ++runs; });
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(profile.kernels().size(), 1u);
}

TEST(PassProfile, CountsTwoOperationsAWeightAndRowAndTheBytesOfTheWeights) {
  const PackedMatrix w(32, 8, WeightFormat::kBf16);
  const KernelWork work = LinearWork("w", 3, w);
  EXPECT_EQ(work.flops, 2 * 3 * 32 * 8);
  EXPECT_EQ(work.bytes, 32 * 8 * 2);
}

}  // namespace
}  // namespace ocelli
