#include "base/file.h"

#include <sys/stat.h>

#include <string>

#include "base/test_directory.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

class FileTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& content) {
    return directory_.Write(name, content);
  }

  testing::TestDirectory directory_;
};

TEST_F(FileTest, ReadsAndMapsTheSameBytes) {
  const std::string content("a\0b\n", 4);
  const auto path = Write("x", content);
  EXPECT_EQ(*ReadFile(path, 4), content);
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mapped->bytes().data()), 4), content);
}

TEST_F(FileTest, RefusesAboveTheLimitNamingIt) {
  const auto result = ReadFile(Write("x", "12345"), 4);
  EXPECT_EQ(result.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(result.error().message.find("the limit is 4"), std::string::npos);
}

TEST_F(FileTest, NamesMissingFilesDirectoriesAndPipes) {
  EXPECT_EQ(ReadFile(directory_.path() / "none", 9).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(MappedFile::Open(directory_.path()).error().code, ErrorCode::kInvalidArgument);
  const auto pipe = directory_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(ReadFile(pipe, 9).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FileTest, EmptyFileIsAnEmptySpan) {
  EXPECT_TRUE(MappedFile::Open(Write("x", ""))->bytes().empty());
  EXPECT_EQ(*ReadFile(Write("y", ""), 0), "");
}

TEST_F(FileTest, ReleasedPagesReadBackTheSame) {
  const auto mapped = MappedFile::Open(Write("x", std::string(100'000, 'q')));
  ASSERT_TRUE(mapped.ok());
  mapped->Release(mapped->bytes());
  for (std::byte b : mapped->bytes()) ASSERT_EQ(b, std::byte{'q'});
}

}  // namespace
}  // namespace ocelli
