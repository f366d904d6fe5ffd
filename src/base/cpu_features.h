#ifndef OCELLI_BASE_CPU_FEATURES_H_
#define OCELLI_BASE_CPU_FEATURES_H_

#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// What the CPU has and the operating system lets us use (CPUID, XGETBV and, for AMX, a granted
// arch_prctl request). **Ref**: Intel SDM vol. 1 ch. 13-18.
struct CpuFeatures {
  bool avx2 = false;    // with FMA, F16C and BMI2: what the AVX2 kernels are built from
  bool avx512 = false;  // F, BW, CD, DQ, VL
  bool avx512_vbmi = false;
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool amx_bf16 = false;  // TILE and BF16, permission granted
};

// Returns the features of this machine less those taken away by the environment variable OCELLI_CPU
// (see ApplyCpuMask). The answer is fixed at the first call. **Threads**: any.
const CpuFeatures& GetCpuFeatures();

// Returns `features` less those named in `mask`, for example "-amx,-avx512". Taking away a feature
// also takes away what builds on it (-avx2 takes everything). **Errors**: kInvalidArgument for a
// word that is not "-name" of a known feature: features can only be taken away.
Result<CpuFeatures> ApplyCpuMask(CpuFeatures features, std::string_view mask);

// Returns the usable features as words, for example "avx2 avx512 avx512_vnni".
std::string DescribeCpuFeatures(const CpuFeatures& features);

// Returns the CPU's brand string, or "unknown CPU".
std::string CpuModelName();

}  // namespace ocelli

#endif  // OCELLI_BASE_CPU_FEATURES_H_
