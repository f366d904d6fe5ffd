#include "kernels/self_check.h"

#include "gtest/gtest.h"
#include "kernels/peaks.h"
#include "kernels/test_targets.h"

namespace ocelli {
namespace {

TEST(SelfCheck, EveryKernelPassesOnEveryTargetAndIsReallyCompared) {
  ThreadPool pool(2);
  std::vector<KernelCheck> fused;
  testing::OnEveryTarget([&](Target target) {
    const std::vector<KernelCheck> checks = CheckKernels(pool);
    for (const KernelCheck& check : checks) {
      EXPECT_TRUE(check.passed()) << check.kernel << ": " << check.worst;
      EXPECT_GT(check.worst, 0) << check.kernel << " is exact, which no rounding allows";
      EXPECT_GT(check.results, 1000u) << check.kernel;
    }
    if (target == Target::kScalar) return;
    if (fused.empty()) fused = checks;
    for (size_t i = 0; i < checks.size(); ++i) {
      EXPECT_EQ(checks[i].checksum, fused[i].checksum) << checks[i].kernel;
    }
  });
}

TEST(SelfCheck, TheSameNumbersEachTime) {
  ThreadPool one(1);
  ThreadPool two(2);
  const std::vector<KernelCheck> first = CheckKernels(one);
  const std::vector<KernelCheck> second = CheckKernels(two);
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].checksum, second[i].checksum);
}

TEST(Peaks, AreMeasured) {
  ThreadPool pool(1);
  EXPECT_GT(MeasureFmaPeak(0.01, pool), 1e6);
  ReadBuffer buffer(size_t{4} << 20, pool);
  EXPECT_GT(buffer.MeasureBandwidth(0.01, pool), 1e6);
}

}  // namespace
}  // namespace ocelli
