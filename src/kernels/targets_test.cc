#include "kernels/targets.h"

#include "base/cpu_features.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(Targets, RunTheBestThatTheFeaturesAllow) {
  ASSERT_FALSE(RunnableTargets().empty());
  EXPECT_EQ(ActiveTarget(), RunnableTargets().front());
  for (const Target target : RunnableTargets()) {
    EXPECT_TRUE(target != Target::kAvx512 || GetCpuFeatures().avx512);
    EXPECT_TRUE(target != Target::kAvx2 || GetCpuFeatures().avx2);
  }
}

TEST(Targets, ScopeForcesEachTargetAndEnds) {
  const Target best = ActiveTarget();
  for (const Target target : RunnableTargets()) {
    const ScopedTarget scope(target);
    EXPECT_EQ(ActiveTarget(), target) << TargetName(target);
  }
  EXPECT_EQ(ActiveTarget(), best);
}

}  // namespace
}  // namespace ocelli
