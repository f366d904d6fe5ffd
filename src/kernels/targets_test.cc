#include "kernels/targets.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

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

// Every kernel test runs on each of RunnableTargets(). ./test shows this line, so that a person
// sees what a machine proves and what it cannot.
TEST(Targets, SayWhichOfThemThisMachineTests) {
  constexpr std::array kAll = {Target::kScalar, Target::kAvx2, Target::kAvx512, Target::kNeon};
  const auto runnable = RunnableTargets();
  std::string line = "kernel targets:";
  for (const Target target : kAll) {
    const bool ran = std::find(runnable.begin(), runnable.end(), target) != runnable.end();
    line += " " + std::string(TargetName(target)) +
            (ran ? " tested," : " skipped (not in this CPU or build),");
  }
  line.back() = ';';
  std::printf("%s none emulated; CPU: %s, %s\n", line.c_str(), CpuModelName().c_str(),
              DescribeCpuFeatures(GetCpuFeatures()).c_str());
  EXPECT_LE(runnable.size(), kAll.size());
}

}  // namespace
}  // namespace ocelli
