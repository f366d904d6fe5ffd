#include "base/byte_size.h"

#include "gtest/gtest.h"

namespace ocelli {
namespace {

uint64_t Parsed(std::string_view text) {
  const auto size = ParseByteSize(text);
  return size.ok() ? *size : ~uint64_t{0};
}

TEST(ByteSize, ReadsWhatPeopleWrite) {
  EXPECT_EQ(Parsed("0"), 0u);
  EXPECT_EQ(Parsed("4096"), 4096u);
  EXPECT_EQ(Parsed("512M"), uint64_t{512} << 20);
  EXPECT_EQ(Parsed("512mb"), uint64_t{512} << 20);
  EXPECT_EQ(Parsed("1.5 GiB"), uint64_t{3} << 29);
  EXPECT_EQ(Parsed("2k"), 2048u);
  EXPECT_EQ(Parsed("1T"), uint64_t{1} << 40);
}

TEST(ByteSize, RefusesWhatIsOnlyNearlyASize) {
  for (const char* text : {"", "-1", "M", "1e9", "5X", "1 G B", "nan", "inf", "0x10",
                           "99999999999T", "1GiBs", "512Mi b"}) {
    const auto size = ParseByteSize(text);
    ASSERT_FALSE(size.ok()) << text;
    EXPECT_EQ(size.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ByteSize, WritesWhatPeopleRead) {
  EXPECT_EQ(DescribeBytes(812), "812 B");
  EXPECT_EQ(DescribeBytes(1536), "1.5 KiB");
  EXPECT_EQ(DescribeBytes(uint64_t{64} << 20), "64.00 MiB");
  EXPECT_EQ(DescribeBytes((uint64_t{17} << 30) / 4), "4.25 GiB");
  EXPECT_EQ(DescribeBytes(~uint64_t{0}), "16777216.00 TiB");
}

}  // namespace
}  // namespace ocelli
