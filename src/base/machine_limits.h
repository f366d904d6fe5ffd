#ifndef OCELLI_BASE_MACHINE_LIMITS_H_
#define OCELLI_BASE_MACHINE_LIMITS_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ocelli {

// How many compute threads make sense here, and the reasons.
struct ThreadLimits {
  int allowed_cpus = 1;              // in the affinity mask
  int physical_cores = 1;            // distinct cores among them
  std::optional<double> quota_cpus;  // tightest cgroup CPU quota of all ancestors
  int threads = 1;                   // max(1, min(physical_cores, floor(quota)))
  bool by_hand = false;              // `threads` was asked for instead

  // Replaces what was found by what was asked for.
  void SetByHand(int wanted) {
    threads = wanted;
    by_hand = true;
  }
  // Returns one line such as "2 threads (2 cores allowed, quota 2.0)".
  std::string Describe() const;
};

// How much memory this process may use, and the reason.
struct MemoryLimits {
  uint64_t machine_bytes = 0;                 // MemTotal
  uint64_t available_bytes = 0;               // MemAvailable
  std::optional<uint64_t> cgroup_bytes;       // tightest cgroup limit of all ancestors
  std::optional<uint64_t> cgroup_free_bytes;  // smallest (limit - current) of all ancestors
  std::optional<uint64_t> rlimit_free_bytes;  // smaller room of `ulimit -v` and `ulimit -d`

  // Returns what may still be taken: the smallest of machine, cgroup and ulimit room.
  uint64_t UsableBytes() const;
};

// Reads the affinity mask, /sys and cgroup v1 or v2 files. `root` replaces "/" in tests.
// **Errors**: unreadable files count as "no limit". **Threads**: any.
ThreadLimits DetectThreadLimits(const std::filesystem::path& root = "/");
MemoryLimits DetectMemoryLimits(const std::filesystem::path& root = "/");

}  // namespace ocelli

#endif  // OCELLI_BASE_MACHINE_LIMITS_H_
