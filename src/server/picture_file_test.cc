#include "server/picture_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/test_directory.h"

namespace ocelli::server {
namespace {

namespace fs = std::filesystem;

class PictureFolderTest : public ::testing::Test {
 protected:
  PictureFolderTest() {
    directory_.Write("allowed/a.png", "inside");
    directory_.Write("allowed/sub/b c.png", "deeper");
    directory_.Write("secret.png", "secret");
    directory_.Write("allowed-not/c.png", "neighbour");
    fs::create_symlink(directory_.path() / "secret.png", allowed() / "out.png");
    fs::create_symlink(directory_.path(), allowed() / "up");
    fs::create_symlink("a.png", allowed() / "in.png");
    mkfifo((allowed() / "fifo").c_str(), 0600);
  }

  fs::path allowed() const { return directory_.path() / "allowed"; }
  std::string Url(const std::string& path) const {
    return "file://" + directory_.path().string() + path;
  }
  static std::string Read(const PictureFolder& folder, const std::string& url) {
    const auto bytes = folder.Read(url, 100);
    if (!bytes.ok()) return "error: " + bytes.error().message;
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  PictureFolder Open() const {
    auto folder = PictureFolder::Open(allowed());
    EXPECT_TRUE(folder.ok());
    return std::move(folder).value();
  }

  testing::TestDirectory directory_;
};

TEST_F(PictureFolderTest, ReadsRegularFilesBelowIt) {
  const PictureFolder folder = Open();
  EXPECT_EQ(Read(folder, Url("/allowed/a.png")), "inside");
  EXPECT_EQ(Read(folder, Url("/allowed/sub/b%20c.png")), "deeper");
  EXPECT_EQ(Read(folder, Url("/allowed/sub/../a.png")), "inside");
  EXPECT_EQ(Read(folder, Url("/allowed/in.png")), "inside");
  EXPECT_EQ(Read(folder, "FILE://localhost" + (allowed() / "a.png").string()), "inside");
}

TEST_F(PictureFolderTest, RefusesAllElseInTheSameWords) {
  const PictureFolder folder = Open();
  const std::string refusal = Read(folder, Url("/allowed/missing.png"));
  EXPECT_NE(refusal.find("no readable regular file"), std::string::npos) << refusal;
  for (const std::string& url :
       {Url("/secret.png"), Url("/allowed/../secret.png"), Url("/allowed/%2e%2e/secret.png"),
        Url("/allowed-not/c.png"), Url("/allowed/out.png"), Url("/allowed/up/secret.png"),
        Url("/allowed/fifo"), Url("/allowed/sub"), Url("/allowed"), Url("/allowed/a.png/"),
        Url("/allowed/a.png%00.png"), std::string("file:///etc/passwd"),
        std::string("file:///proc/self/environ"), std::string("file:///dev/zero"),
        std::string("file://other.host/etc/passwd"), std::string("file://"),
        "file:///" + std::string(5000, 'a'), "file://relative.png" + Url("/allowed/a.png")}) {
    EXPECT_EQ(Read(folder, url), refusal) << url;
  }
}

TEST_F(PictureFolderTest, HasALimit) {
  const auto bytes = Open().Read(Url("/allowed/a.png"), 5);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kTooLarge);
}

TEST_F(PictureFolderTest, IsOffWithoutAFolder) {
  const PictureFolder none = std::move(PictureFolder::Open("")).value();
  EXPECT_EQ(Read(none, Url("/allowed/a.png")), Read(none, "file:///missing"));
  EXPECT_FALSE(PictureFolder::Open(allowed() / "a.png").ok());
  EXPECT_FALSE(PictureFolder::Open(allowed() / "missing").ok());
}

}  // namespace
}  // namespace ocelli::server
