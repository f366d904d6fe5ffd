#ifndef OCELLI_BASE_HUGE_PAGES_H_
#define OCELLI_BASE_HUGE_PAGES_H_

#include <cstdint>
#include <filesystem>
#include <string>

namespace ocelli {

// Whether large buffers ask the kernel for transparent huge pages.
enum class HugePages {
  kSystem,  // say nothing: the system's own setting decides
  kOn,      // madvise(MADV_HUGEPAGE)
  kOff,     // madvise(MADV_NOHUGEPAGE)
};

// What the system allows and what this process really got.
struct HugePageReport {
  std::string system_mode;       // "always", "madvise", "never"; empty: a kernel without them
  uint64_t anonymous_bytes = 0;  // of this process in memory
  uint64_t huge_bytes = 0;       // of those, in huge pages

  // Returns what was obtained in words, such as "4.10 of 4.60 GiB obtained (system: madvise)".
  std::string Describe() const;
};

// Reads /sys/kernel/mm/transparent_hugepage and /proc/self/smaps_rollup. `root` replaces "/" in
// tests. **Errors**: unreadable files count as nothing there. **Threads**: any.
HugePageReport ReadHugePages(const std::filesystem::path& root = "/");

}  // namespace ocelli

#endif  // OCELLI_BASE_HUGE_PAGES_H_
