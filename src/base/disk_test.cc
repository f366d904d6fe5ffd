#include "base/disk.h"

#include "base/file.h"
#include "base/test_directory.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(ReplaceFile, TheNewContentTakesThePlaceOfTheOld) {
  const testing::TestDirectory directory;
  const auto path = directory.Write("a.txt", "the old content, which is longer");
  ASSERT_TRUE(ReplaceFile(path, "new", directory.path() / "fresh").ok());
  EXPECT_EQ(ReadFile(path, 100).value(), "new");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "fresh"));
}

TEST(ReplaceFile, WhatCannotBeReplacedStaysAndNothingIsLeftBehind) {
  const testing::TestDirectory directory;
  directory.Write("folder/inside", "kept");
  const Status replaced =
      ReplaceFile(directory.path() / "folder", "new", directory.path() / "fresh");
  ASSERT_FALSE(replaced.ok());
  EXPECT_EQ(replaced.error().code, ErrorCode::kIo);
  EXPECT_EQ(ReadFile(directory.path() / "folder/inside", 100).value(), "kept");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "fresh"));
}

}  // namespace
}  // namespace ocelli
