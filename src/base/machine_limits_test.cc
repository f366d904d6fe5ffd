#include "base/machine_limits.h"

#include <string>

#include "base/test_directory.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

namespace fs = std::filesystem;

// A fake "/" with the files that a test writes; the affinity mask stays the machine's own.
class MachineLimitsTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& content) {
    directory_.Write(path, content);
  }

  testing::TestDirectory directory_;
  const fs::path& root_ = directory_.path();
};

TEST_F(MachineLimitsTest, QuotaOfAnyAncestorBindsAndIsFloored) {
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  Write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  const ThreadLimits limits = DetectThreadLimits(root_);
  EXPECT_EQ(limits.quota_cpus, 1.5);
  EXPECT_EQ(limits.threads, 1);
  EXPECT_NE(limits.Describe().find("quota 1.50"), std::string::npos);
}

TEST_F(MachineLimitsTest, WhatIsAskedForWinsAndIsSaid) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  ThreadLimits limits = DetectThreadLimits(root_);
  limits.SetByHand(7);
  EXPECT_EQ(limits.threads, 7);
  EXPECT_TRUE(limits.Describe().starts_with("7 threads (as asked; ")) << limits.Describe();
}

TEST_F(MachineLimitsTest, QuotaBelowOneStillGivesOneThread) {
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/cpu.max", "10000 100000\n");
  EXPECT_EQ(DetectThreadLimits(root_).threads, 1);
}

TEST_F(MachineLimitsTest, VersionOneHierarchiesCount) {
  Write("proc/self/cgroup", "4:cpu,cpuacct:/box\n5:memory:/box\n");
  Write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "100000");
  Write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  Write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "4000");
  Write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1000");
  Write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n");
  EXPECT_EQ(DetectThreadLimits(root_).quota_cpus, 1.0);
  const MemoryLimits memory = DetectMemoryLimits(root_);
  EXPECT_EQ(memory.cgroup_bytes, 4000u);
  EXPECT_EQ(memory.UsableBytes(), 3000u);
}

TEST_F(MachineLimitsTest, FilesThatTheKernelGivesUpFirstDoNotCount) {
  Write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 900 kB\n");
  Write("proc/self/cgroup", "0::/\n");
  Write("sys/fs/cgroup/memory.max", "4000\n");
  Write("sys/fs/cgroup/memory.current", "3500\n");
  Write("sys/fs/cgroup/memory.stat", "anon 700\nfile 2800\ninactive_file 2500\nactive_file 300\n");
  EXPECT_EQ(DetectMemoryLimits(root_).UsableBytes(), 3000u);
  Write("proc/self/cgroup", "5:memory:/box\n");
  Write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "4000");
  Write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "3500");
  Write("sys/fs/cgroup/memory/box/memory.stat", "inactive_file 1\ntotal_inactive_file 1500\n");
  EXPECT_EQ(DetectMemoryLimits(root_).UsableBytes(), 2000u);
}

TEST_F(MachineLimitsTest, HostPathInAContainerFallsBackToTheMount) {
  Write("proc/self/cgroup", "0::/host/only/path\n");
  Write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  Write("sys/fs/cgroup/memory.max", "4294967296\n");
  Write("sys/fs/cgroup/memory.current", "5294967296\n");
  Write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n");
  EXPECT_EQ(DetectThreadLimits(root_).quota_cpus, 1.0);
  EXPECT_EQ(DetectMemoryLimits(root_).UsableBytes(), 0u);
}

TEST_F(MachineLimitsTest, UlimitsBindToo) {
  Write("proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 8000000 kB\n");
  Write("proc/self/statm", "100 5 4 3 0 50 0\n");
  const auto limit = [this](const std::string& data, const std::string& address_space) {
    Write("proc/self/limits",
          "Limit                     Soft Limit           Hard Limit  Units\n"
          "Max data size             " +
              data +
              "            unlimited   bytes\n"
              "Max address space         " +
              address_space + "  unlimited   bytes\n");
    return DetectMemoryLimits(root_).UsableBytes();
  };
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(limit("unlimited", "unlimited"), uint64_t{8'000'000} * 1024);
  EXPECT_EQ(limit("unlimited", std::to_string(100 * page + 7)), 7u);
  EXPECT_EQ(limit(std::to_string(50 * page + 3), std::to_string(100 * page + 7)), 3u);
  EXPECT_EQ(limit("unlimited", "1"), 0u);
}

TEST_F(MachineLimitsTest, NothingReadableMeansNoLimit) {
  const ThreadLimits limits = DetectThreadLimits(root_);
  EXPECT_FALSE(limits.quota_cpus.has_value());
  EXPECT_EQ(limits.threads, limits.allowed_cpus);
  EXPECT_FALSE(DetectMemoryLimits(root_).cgroup_bytes.has_value());
}

TEST_F(MachineLimitsTest, GarbageIsNoLimit) {
  Write("proc/self/cgroup", "nonsense\n0::/\n");
  Write("sys/fs/cgroup/cpu.max", "lots of\n");
  Write("sys/fs/cgroup/memory.max", "max\n");
  EXPECT_FALSE(DetectThreadLimits(root_).quota_cpus.has_value());
  EXPECT_FALSE(DetectMemoryLimits(root_).cgroup_bytes.has_value());
}

}  // namespace
}  // namespace ocelli
