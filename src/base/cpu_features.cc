#include "base/cpu_features.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/quoted.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ocelli {
namespace {

#if defined(__x86_64__)

struct CpuidRegisters {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidRegisters Cpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidRegisters r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

bool Bit(uint32_t value, int bit) { return ((value >> bit) & 1u) != 0; }

// Which register states the operating system saves on a context switch.
uint64_t Xgetbv0() {
  uint32_t eax = 0;
  uint32_t edx = 0;
  __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return (static_cast<uint64_t>(edx) << 32) | eax;
}

// Asks Linux for the 8 KiB tile state; without it the first AMX instruction is a fault.
bool RequestAmxPermission() {
  constexpr long kArchReqXcompPerm = 0x1023;  // NOLINT: type of syscall
  constexpr long kXfeatureXtiledata = 18;     // NOLINT: type of syscall
  return syscall(SYS_arch_prctl, kArchReqXcompPerm, kXfeatureXtiledata) == 0;
}

CpuFeatures Detect() {
  CpuFeatures features;
  const CpuidRegisters leaf1 = Cpuid(1, 0);
  if (!Bit(leaf1.ecx, 27)) return features;  // OSXSAVE
  const uint64_t states = Xgetbv0();
  const CpuidRegisters leaf7 = Cpuid(7, 0);
  const CpuidRegisters leaf7_1 = Cpuid(7, 1);
  const bool ymm_saved = (states & 0x6u) == 0x6u;
  const bool zmm_saved = (states & 0xE6u) == 0xE6u;
  const bool tiles_saved = (states & 0x60000u) == 0x60000u;
  features.avx2 = ymm_saved && Bit(leaf7.ebx, 5) && Bit(leaf7.ebx, 8) && Bit(leaf1.ecx, 12) &&
                  Bit(leaf1.ecx, 29);
  features.avx512 = features.avx2 && zmm_saved && Bit(leaf7.ebx, 16) && Bit(leaf7.ebx, 17) &&
                    Bit(leaf7.ebx, 28) && Bit(leaf7.ebx, 30) && Bit(leaf7.ebx, 31);
  features.avx512_vbmi = features.avx512 && Bit(leaf7.ecx, 1);
  features.avx512_vnni = features.avx512 && Bit(leaf7.ecx, 11);
  features.avx512_bf16 = features.avx512 && Bit(leaf7_1.eax, 5);
  features.amx_bf16 = features.avx512 && tiles_saved && Bit(leaf7.edx, 22) && Bit(leaf7.edx, 24) &&
                      RequestAmxPermission();
  return features;
}

#else

CpuFeatures Detect() { return {}; }

#endif

}  // namespace

Result<CpuFeatures> ApplyCpuMask(CpuFeatures features, std::string_view mask) {
  while (!mask.empty()) {
    const size_t comma = mask.find(',');
    const std::string_view word = mask.substr(0, comma);
    mask = comma == std::string_view::npos ? std::string_view() : mask.substr(comma + 1);
    const bool all = word == "-avx2";
    const bool wide = all || word == "-avx512";
    if (wide || word == "-avx512_vbmi") features.avx512_vbmi = false;
    if (wide || word == "-avx512_vnni") features.avx512_vnni = false;
    if (wide || word == "-avx512_bf16") features.avx512_bf16 = false;
    if (wide || word == "-amx") features.amx_bf16 = false;
    if (wide) features.avx512 = false;
    if (all) features.avx2 = false;
    if (!wide && word != "-avx512_vbmi" && word != "-avx512_vnni" && word != "-avx512_bf16" &&
        word != "-amx") {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("OCELLI_CPU: {} is not one of -avx2, -avx512, -avx512_vbmi, "
                               "-avx512_vnni, -avx512_bf16, -amx (features can only be taken away)",
                               Quoted(word)),
                   "OCELLI_CPU"};
    }
  }
  return features;
}

const CpuFeatures& GetCpuFeatures() {
  static const CpuFeatures features = [] {
    const CpuFeatures detected = Detect();
    const char* mask = std::getenv("OCELLI_CPU");
    if (mask == nullptr) return detected;
    Result<CpuFeatures> masked = ApplyCpuMask(detected, mask);
    if (masked.ok()) return *masked;
    LogError("{}; ignored", masked.error().message);
    return detected;
  }();
  return features;
}

std::string DescribeCpuFeatures(const CpuFeatures& features) {
  std::string words;
  const auto add = [&words](bool present, const char* name) {
    if (present) words += (words.empty() ? "" : " ") + std::string(name);
  };
  add(features.avx2, "avx2");
  add(features.avx512, "avx512");
  add(features.avx512_vbmi, "avx512_vbmi");
  add(features.avx512_vnni, "avx512_vnni");
  add(features.avx512_bf16, "avx512_bf16");
  add(features.amx_bf16, "amx_bf16");
  return words.empty() ? "scalar" : words;
}

std::string CpuModelName() {
#if defined(__x86_64__)
  if (Cpuid(0x80000000u, 0).eax >= 0x80000004u) {
    char name[49] = {};
    for (uint32_t i = 0; i < 3; ++i) {
      const CpuidRegisters r = Cpuid(0x80000002u + i, 0);
      std::memcpy(name + 16 * i, &r, sizeof(r));
    }
    std::string text(name);
    const size_t begin = text.find_first_not_of(' ');
    const size_t end = text.find_last_not_of(' ');
    if (begin != std::string::npos) return text.substr(begin, end - begin + 1);
  }
#endif
  return "unknown CPU";
}

}  // namespace ocelli
