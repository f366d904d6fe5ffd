#include "base/cpu_features.h"

#include "gtest/gtest.h"

namespace ocelli {
namespace {

constexpr CpuFeatures kAll{true, true, true, true, true, true};

TEST(CpuMask, TakesAwayWhatBuildsOnAFeature) {
  const CpuFeatures no_wide = *ApplyCpuMask(kAll, "-avx512");
  EXPECT_EQ(DescribeCpuFeatures(no_wide), "avx2");
  EXPECT_EQ(DescribeCpuFeatures(*ApplyCpuMask(kAll, "-avx2")), "scalar");
  EXPECT_EQ(DescribeCpuFeatures(*ApplyCpuMask(kAll, "-amx,-avx512_bf16")),
            "avx2 avx512 avx512_vbmi avx512_vnni");
  EXPECT_EQ(DescribeCpuFeatures(*ApplyCpuMask(kAll, "")), DescribeCpuFeatures(kAll));
}

TEST(CpuMask, CannotAddFeatures) {
  EXPECT_FALSE(ApplyCpuMask({}, "+amx").ok());
  EXPECT_FALSE(ApplyCpuMask({}, "amx").ok());
  EXPECT_NE(ApplyCpuMask({}, "-sse9").error().message.find("\"-sse9\""), std::string::npos);
}

TEST(CpuFeatures, WiderImpliesNarrower) {
  const CpuFeatures& features = GetCpuFeatures();
  EXPECT_TRUE(!features.avx512 || features.avx2);
  EXPECT_TRUE(!features.amx_bf16 || features.avx512);
  EXPECT_FALSE(CpuModelName().empty());
}

}  // namespace
}  // namespace ocelli
