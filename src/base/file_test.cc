#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        std::filesystem::temp_directory_path() / ("ocelli_file_test_" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path Write(const std::string& name, const std::string& content) {
    std::ofstream(directory_ / name, std::ios::binary) << content;
    return directory_ / name;
  }

  std::filesystem::path directory_;
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
  EXPECT_EQ(ReadFile(directory_ / "none", 9).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(MappedFile::Open(directory_).error().code, ErrorCode::kInvalidArgument);
  const auto pipe = directory_ / "pipe";
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
