#include "picture/picture_kind.h"

#include <string>

#include "gtest/gtest.h"
#include "picture/test_support.h"

namespace ocelli {
namespace {

using picture_test::AsBytes;

TEST(PictureKind, IsTakenFromTheBytesOfEveryFixture) {
  for (const auto& fixture : picture_test::LoadFixtures()) {
    const auto kind = SniffPictureKind(AsBytes(fixture.file));
    ASSERT_TRUE(kind.ok()) << fixture.name << ": " << kind.error().message;
    EXPECT_EQ(PictureKindName(*kind), fixture.kind) << fixture.name;
  }
}

TEST(PictureKind, RefusesEverythingElseByName) {
  const std::pair<std::string, std::string> cases[] = {
      {"<!DOCTYPE html><html><body>404</body></html>", "HTML"},
      {"\n  <HTML lang=en>", "HTML"},
      {"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"},
      {"<?xml version=\"1.0\"?>\n<svg></svg>", "SVG"},
      {"<?xml version=\"1.0\"?><note/>", "XML"},
      {"{\"error\": 1}", "JSON"},
      {"BMW is a maker of cars", "text"},
      {"hello", "text"},
      {"%PDF-1.7\n", "a PDF document"},
      {std::string("PK\3\4") + "x", "a ZIP archive"},
      {std::string("\0\0\0\x18"
                   "ftypmp42\0\0\0\0mp42isom",
                   24),
       "a video"},
      {std::string("\0\0\1\0\1\0", 6), "a Windows icon"},
      {"\xff\x0a\x01", "a JPEG XL picture"},
      {"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"},
      {"data:image/png;base64,iVBORw0KGgo", "a data URL"},
      {"iVBORw0KGgoAAAANSUhEUg", "base64 text"},
      {std::string("\1\2\3\4", 4), "none of the kinds that are known"},
      {"RIFF\x10\x20\x30\x40WAVEfmt ", "a RIFF sound or video"},
  };
  for (const auto& [file, name] : cases) {
    const auto kind = SniffPictureKind(AsBytes(file));
    ASSERT_FALSE(kind.ok()) << name;
    EXPECT_EQ(kind.error().code, ErrorCode::kUnsupported) << name;
    EXPECT_NE(kind.error().message.find("looks like " + name), std::string::npos)
        << kind.error().message;
  }
}

TEST(PictureKind, AnEmptyFileIsCalledEmpty) {
  const auto kind = SniffPictureKind({});
  ASSERT_FALSE(kind.ok());
  EXPECT_EQ(kind.error().code, ErrorCode::kCorruptData);
  EXPECT_NE(kind.error().message.find("empty"), std::string::npos);
}

TEST(PictureKind, EveryPrefixOfEveryFixtureIsJudgedWithinItsBytes) {
  for (const auto& fixture : picture_test::LoadFixtures()) {
    for (size_t size = 0; size < 40; ++size) {
      const std::string cut = fixture.file.substr(0, size);
      const std::vector<char> exact(cut.begin(), cut.end());  // no NUL behind the end
      static_cast<void>(SniffPictureKind(AsBytes({exact.data(), exact.size()})));
    }
  }
}

}  // namespace
}  // namespace ocelli
