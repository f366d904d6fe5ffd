#include "base/huge_pages.h"

#include <cstring>

#include "base/aligned_buffer.h"
#include "base/test_directory.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(HugePages, SaysWhatTheSystemAllowsAndWhatWasObtained) {
  testing::TestDirectory root;
  root.Write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  root.Write("proc/self/smaps_rollup",
             "00400000-7ffd rollup\nRss: 9 kB\nAnonymous:   8192 kB\nAnonHugePages:   4096 kB\n");
  const HugePageReport report = ReadHugePages(root.path());
  EXPECT_EQ(report.system_mode, "madvise");
  EXPECT_EQ(report.anonymous_bytes, uint64_t{8} << 20);
  EXPECT_EQ(report.huge_bytes, uint64_t{4} << 20);
  EXPECT_EQ(report.Describe(), "4.00 MiB of 8.00 MiB obtained (system: madvise)");
}

TEST(HugePages, ASystemWithoutThemIsNoFailure) {
  testing::TestDirectory root;
  EXPECT_EQ(ReadHugePages(root.path()).Describe(),
            "0 B of 0 B obtained (system: does not have them)");
}

// Whatever this machine's setting is, memory comes, reads zero and can be written.
TEST(HugePages, EverySwitchGivesMemory) {
  for (const HugePages wanted : {HugePages::kOn, HugePages::kOff, HugePages::kSystem}) {
    SetHugePages(wanted);
    AlignedBuffer buffer(3 * kHugePageBytes);
    EXPECT_EQ(buffer.data()[buffer.size_bytes() - 1], std::byte{0});
    std::memset(buffer.data(), 1, buffer.size_bytes());
    EXPECT_GE(ReadHugePages().anonymous_bytes, buffer.size_bytes());
    if (wanted == HugePages::kOff) {
      EXPECT_LT(ReadHugePages().huge_bytes, buffer.size_bytes());
    }
  }
}

}  // namespace
}  // namespace ocelli
