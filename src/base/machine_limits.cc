#include "base/machine_limits.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace ocelli {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

template <typename T>
std::optional<T> NumberIn(const fs::path& path) {
  const auto line = FirstLine(path);
  return line ? ParseNumber<T>(*line) : std::nullopt;
}

template <typename T>
void KeepSmaller(std::optional<T>& best, std::optional<T> candidate) {
  if (candidate && (!best || *candidate < *best)) best = candidate;
}

// One cgroup directory that limits us: v2, or the v1 hierarchy of one controller.
struct CgroupDirectory {
  fs::path path;
  bool v2 = false;
};

// Calls `visit` for our own cgroup and each ancestor up to the mount: a limit on any of them binds.
// Inside a container the host's path may not exist under the mount; then the mount itself is ours.
void ForEachAncestor(const fs::path& mount, const std::string& relative, bool v2,
                     std::vector<CgroupDirectory>& out) {
  std::error_code ignored;
  fs::path current = mount / fs::path(relative).relative_path();
  if (!fs::exists(current, ignored)) current = mount;
  while (true) {
    out.push_back({current, v2});
    if (current == mount || !current.has_relative_path() || current == current.parent_path()) break;
    current = current.parent_path();
  }
}

// Returns the directories that limit `controller` ("cpu" or "memory") for this process.
std::vector<CgroupDirectory> CgroupDirectories(const fs::path& root, std::string_view controller) {
  std::vector<CgroupDirectory> directories;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // hierarchy:controllers:path
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      ForEachAncestor(root / "sys/fs/cgroup", path, true, directories);
    } else if (controllers.find("," + std::string(controller) + ",") != std::string::npos) {
      ForEachAncestor(root / "sys/fs/cgroup" / controller, path, false, directories);
    }
  }
  return directories;
}

std::optional<double> CpuQuota(const CgroupDirectory& directory) {
  if (directory.v2) {  // "200000 100000" or "max 100000"
    const auto line = FirstLine(directory.path / "cpu.max");
    if (!line) return std::nullopt;
    const size_t space = line->find(' ');
    const auto quota = ParseNumber<double>(line->substr(0, space));
    const auto period =
        space == std::string::npos ? std::nullopt : ParseNumber<double>(line->substr(space + 1));
    if (!quota || !period || *period <= 0) return std::nullopt;
    return *quota / *period;
  }
  const auto quota = NumberIn<double>(directory.path / "cpu.cfs_quota_us");
  const auto period = NumberIn<double>(directory.path / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

// What a cgroup may hold and what it holds for good: without the pages of files that the kernel
// would give up first.
struct MemoryUse {
  std::optional<uint64_t> limit_bytes;
  uint64_t held_bytes = 0;
};

// Returns the number behind `name` in a cgroup's memory.stat; 0 when it is not there.
uint64_t MemoryStat(const CgroupDirectory& directory, std::string_view name) {
  std::ifstream file(directory.path / "memory.stat");
  uint64_t value = 0;
  for (std::string word; file >> word >> value;) {
    if (word == name) return value;
  }
  return 0;
}

MemoryUse CgroupMemory(const CgroupDirectory& directory) {
  MemoryUse use;
  if (directory.v2) {
    use.limit_bytes = NumberIn<uint64_t>(directory.path / "memory.max");
    use.held_bytes = NumberIn<uint64_t>(directory.path / "memory.current").value_or(0);
  } else {
    use.limit_bytes = NumberIn<uint64_t>(directory.path / "memory.limit_in_bytes");
    use.held_bytes = NumberIn<uint64_t>(directory.path / "memory.usage_in_bytes").value_or(0);
    constexpr uint64_t kUnlimitedV1 = uint64_t{1} << 62;  // v1 writes a huge number for "none"
    if (use.limit_bytes && *use.limit_bytes >= kUnlimitedV1) use.limit_bytes.reset();
  }
  // The sum over all cgroups below: v2 always tells it, v1 under names of its own.
  const uint64_t files =
      MemoryStat(directory, directory.v2 ? "inactive_file" : "total_inactive_file");
  use.held_bytes -= std::min(use.held_bytes, files);
  return use;
}

// Returns the soft limit in a line of /proc/self/limits that starts with `name`, unless unlimited.
std::optional<uint64_t> SoftLimit(const fs::path& root, std::string_view name) {
  std::ifstream file(root / "proc/self/limits");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const size_t value = line.find_first_not_of(' ', name.size());
    if (value != std::string::npos) return ParseNumber<uint64_t>(line.substr(value));
  }
  return std::nullopt;
}

// Returns how much more the process may map before `ulimit -v` or `ulimit -d` binds.
std::optional<uint64_t> RlimitFreeBytes(const fs::path& root) {
  uint64_t mapped = 0;  // of /proc/self/statm, in pages: total, resident, shared, text, -, data
  uint64_t data = 0;
  std::ifstream statm(root / "proc/self/statm");
  for (int field = 0; field < 6 && statm >> data; ++field) {
    if (field == 0) mapped = data;
  }
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto room = [&](std::string_view name, uint64_t used_pages) {
    auto limit = SoftLimit(root, name);
    if (limit) *limit -= std::min(*limit, used_pages * page_bytes);
    return limit;
  };
  std::optional<uint64_t> free_bytes = room("Max address space", mapped);
  KeepSmaller(free_bytes, room("Max data size", data));
  return free_bytes;
}

std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Hyper-threads share a core's FMA units, so one thread a core is all that helps.
int CountPhysicalCores(const fs::path& root, const std::vector<int>& cpus) {
  std::set<std::pair<int, int>> cores;
  for (int cpu : cpus) {
    const fs::path topology = root / fmt::format("sys/devices/system/cpu/cpu{}/topology", cpu);
    const auto package = NumberIn<int>(topology / "physical_package_id");
    const auto core = NumberIn<int>(topology / "core_id");
    if (!package || !core) return static_cast<int>(cpus.size());
    cores.emplace(*package, *core);
  }
  return static_cast<int>(cores.size());
}

}  // namespace

std::string ThreadLimits::Describe() const {
  std::string line =
      fmt::format("{} thread{} ({}{} physical core{} of {} allowed CPU{}", threads,
                  threads == 1 ? "" : "s", by_hand ? "as asked; " : "", physical_cores,
                  physical_cores == 1 ? "" : "s", allowed_cpus, allowed_cpus == 1 ? "" : "s");
  if (quota_cpus) line += fmt::format(", cgroup quota {:.2f} CPUs", *quota_cpus);
  return line + ")";
}

uint64_t MemoryLimits::UsableBytes() const {
  return std::min({available_bytes, cgroup_free_bytes.value_or(available_bytes),
                   rlimit_free_bytes.value_or(available_bytes)});
}

ThreadLimits DetectThreadLimits(const fs::path& root) {
  ThreadLimits limits;
  const std::vector<int> cpus = AllowedCpus();
  limits.allowed_cpus = static_cast<int>(cpus.size());
  limits.physical_cores = std::max(1, CountPhysicalCores(root, cpus));
  for (const CgroupDirectory& directory : CgroupDirectories(root, "cpu")) {
    KeepSmaller(limits.quota_cpus, CpuQuota(directory));
  }
  limits.threads = limits.physical_cores;
  if (limits.quota_cpus) {
    // The comparison comes before the cast: a quota can be far above what an int holds.
    const double whole = std::floor(*limits.quota_cpus);
    if (whole < limits.threads) limits.threads = std::max(1, static_cast<int>(whole));
  }
  return limits;
}

MemoryLimits DetectMemoryLimits(const fs::path& root) {
  MemoryLimits limits;
  std::ifstream meminfo(root / "proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream words(line);
    std::string name;
    uint64_t kib = 0;
    if (!(words >> name >> kib)) continue;
    if (name == "MemTotal:") limits.machine_bytes = kib * 1024;
    if (name == "MemAvailable:") limits.available_bytes = kib * 1024;
  }
  for (const CgroupDirectory& directory : CgroupDirectories(root, "memory")) {
    const MemoryUse use = CgroupMemory(directory);
    if (!use.limit_bytes) continue;
    KeepSmaller(limits.cgroup_bytes, use.limit_bytes);
    const uint64_t held = std::min(*use.limit_bytes, use.held_bytes);
    KeepSmaller(limits.cgroup_free_bytes, std::optional<uint64_t>(*use.limit_bytes - held));
  }
  limits.rlimit_free_bytes = RlimitFreeBytes(root);
  return limits;
}

}  // namespace ocelli
