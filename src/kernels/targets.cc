#include "kernels/targets.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/check.h"
#include "base/cpu_features.h"
#include "hwy/highway.h"

namespace ocelli {
namespace {

struct TargetBit {
  Target target;
  int64_t bit;  // Highway's
};

// Best first.
constexpr TargetBit kTargetBits[] = {{Target::kAvx512, HWY_AVX3},
                                     {Target::kAvx2, HWY_AVX2},
                                     {Target::kNeon, HWY_NEON},
                                     {Target::kScalar, HWY_SCALAR}};

std::vector<Target> FindRunnableTargets() {
  internal::LimitHighwayTargets();
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<Target> targets;
  for (const TargetBit& t : kTargetBits) {
    if ((usable & t.bit) != 0) targets.push_back(t.target);
  }
  return targets;
}

}  // namespace

namespace internal {

void LimitHighwayTargets() noexcept {
  [[maybe_unused]] static const bool done = [] {
    const CpuFeatures& features = GetCpuFeatures();
    int64_t forbidden = 0;
    if (!features.avx512) forbidden |= HWY_AVX3 | HWY_AVX3_DL;
    if (!features.avx2) forbidden |= HWY_AVX2;
    if (forbidden != 0) hwy::DisableTargets(forbidden);
    return true;
  }();
}

}  // namespace internal

std::string_view TargetName(Target target) {
  switch (target) {
    case Target::kScalar:
      return "scalar";
    case Target::kNeon:
      return "neon";
    case Target::kAvx2:
      return "avx2";
    case Target::kAvx512:
      return "avx512";
  }
  return "unknown";
}

std::span<const Target> RunnableTargets() {
  static const std::vector<Target> targets = FindRunnableTargets();
  return targets;
}

Target ActiveTarget() {
  const std::span<const Target> runnable = RunnableTargets();
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  for (const TargetBit& t : kTargetBits) {
    if ((usable & t.bit) != 0) return t.target;
  }
  return runnable.back();
}

bool IsBuilt(Target target) {
  return std::any_of(std::begin(kTargetBits), std::end(kTargetBits), [&](const TargetBit& t) {
    return t.target == target && (HWY_TARGETS & t.bit) != 0;
  });
}

ScopedTarget::ScopedTarget(Target target) {
  bool runnable = false;
  for (const Target candidate : RunnableTargets()) runnable |= candidate == target;
  OCELLI_CHECK(runnable, "target {} does not run here", TargetName(target));
  for (const TargetBit& t : kTargetBits) {
    if (t.target == target) hwy::SetSupportedTargetsForTest(t.bit);
  }
}

ScopedTarget::~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }

}  // namespace ocelli
