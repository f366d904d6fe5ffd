#include "cli/bench_workload.h"

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

TEST(PictureSize, IsReadOrRefused) {
  const auto size = ParsePictureSize("1024x768");
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(*size, (SizePx{1024, 768}));
  ASSERT_TRUE(ParsePictureSize("none").ok());
  EXPECT_EQ(*ParsePictureSize("none"), SizePx{});
  for (const char* text :
       {"", "x", "10", "10x", "x10", "0x0", "-1x5", "10x10x10", "99999x1", "a"}) {
    EXPECT_FALSE(ParsePictureSize(text).ok()) << text;
  }
}

}  // namespace
}  // namespace ocelli::cli
