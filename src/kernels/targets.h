#ifndef OCELLI_KERNELS_TARGETS_H_
#define OCELLI_KERNELS_TARGETS_H_

#include <span>
#include <string_view>

namespace ocelli {

// An instruction set that the kernels are compiled for, by the name users see.
enum class Target { kScalar, kNeon, kAvx2, kAvx512 };

// All of them, best first.
inline constexpr Target kAllTargets[] = {Target::kAvx512, Target::kAvx2, Target::kNeon,
                                         Target::kScalar};

// Returns "scalar", "neon", "avx2" or "avx512".
std::string_view TargetName(Target target);

// Returns the target that kernels run on now: the best of RunnableTargets(), or what a ScopedTarget
// asked for. **Threads**: any, not beside a ScopedTarget that begins or ends.
Target ActiveTarget();

// Returns the targets that this build contains and GetCpuFeatures() allows, best first; the last is
// kScalar where there is one. They are found at the first call. **Threads**: any.
std::span<const Target> RunnableTargets();

// Returns whether this build contains `target`, whatever the CPU.
bool IsBuilt(Target target);

// Makes kernels run on one target of RunnableTargets() while it lives: for tests and benchmarks.
// **Threads**: no kernel may run while one begins or ends; one at a time.
class ScopedTarget {
 public:
  explicit ScopedTarget(Target target);
  ~ScopedTarget();
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
};

namespace internal {
// Takes from Highway the targets that GetCpuFeatures() does not allow; does its work once.
void LimitHighwayTargets() noexcept;
}  // namespace internal

}  // namespace ocelli

// The function of the active target, for a name given to HWY_EXPORT. Use instead of
// HWY_DYNAMIC_DISPATCH, which does not know of OCELLI_CPU: OCELLI_DISPATCH(RowsImpl)(x, y).
#define OCELLI_DISPATCH(function) \
  (::ocelli::internal::LimitHighwayTargets(), HWY_DYNAMIC_DISPATCH(function))

#endif  // OCELLI_KERNELS_TARGETS_H_
