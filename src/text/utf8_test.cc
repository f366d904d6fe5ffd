#include "text/utf8.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

constexpr std::string_view kFffd = "\xEF\xBF\xBD";

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Utf8, RoundTripsEveryScalarValue) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    AppendUtf8(c, text);
    ASSERT_TRUE(IsValidUtf8(text)) << static_cast<uint32_t>(c);
    ASSERT_EQ(ReadUtf8(text).size_bytes, text.size()) << static_cast<uint32_t>(c);
    ASSERT_EQ(DecodeUtf8Character(text), c);
    ASSERT_EQ(ReplaceInvalidUtf8(text), text);
  }
}

// The expected texts are what Python's bytes.decode("utf-8", "replace") gives.
TEST(Utf8, ReplacesMaximalSubpartsAsPythonDoes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x80", Repeat(kFffd, 1)},
      {"\xC0\xAF", Repeat(kFffd, 2)},                  // overlong slash
      {"\xC1\xBF", Repeat(kFffd, 2)},                  // overlong DEL
      {"\xE0\x80\xAF", Repeat(kFffd, 3)},              // overlong slash
      {"\xF0\x80\x80\xAF", Repeat(kFffd, 4)},          // overlong slash
      {"\xED\xA0\x80", Repeat(kFffd, 3)},              // a surrogate
      {"\xED\xA0\xBD\xED\xB8\x80", Repeat(kFffd, 6)},  // a surrogate pair
      {"\xF4\x90\x80\x80", Repeat(kFffd, 4)},          // U+110000
      {"\xF5\x80\x80\x80", Repeat(kFffd, 4)},
      {"\xFF\xFE", Repeat(kFffd, 2)},
      {"\xE4\xB8", Repeat(kFffd, 1)},             // cut at the end
      {"\xF0\x9F\x98", Repeat(kFffd, 1)},         // cut at the end
      {"\xF0\x9F\x98!", Repeat(kFffd, 1) + "!"},  // cut by another character
      {"\xE4\xB8\xF0\x9F", Repeat(kFffd, 2)},
      {"a\xE4\xB8\xAD\xE4z", "a\xE4\xB8\xAD" + Repeat(kFffd, 1) + "z"},
      {"\xC4\xE3\xBA\xC3", Repeat(kFffd, 3)},  // GBK
      {std::string("\0\x80", 2), std::string("\0", 1) + Repeat(kFffd, 1)},
      {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
      {"12345678\xFF"
       "12345678",
       "12345678" + Repeat(kFffd, 1) + "12345678"},
  };
  for (const auto& [bytes, expected] : cases) {
    EXPECT_EQ(ReplaceInvalidUtf8(bytes), expected);
    EXPECT_EQ(IsValidUtf8(bytes), bytes == expected);
  }
}

TEST(Utf8, SaysWhenMoreBytesCouldCompleteACharacter) {
  EXPECT_EQ(ReadUtf8("\xE4").kind, Utf8Step::Kind::kIncomplete);
  EXPECT_EQ(ReadUtf8("\xF4\x8F\xBF").kind, Utf8Step::Kind::kIncomplete);
  EXPECT_EQ(ReadUtf8("\xF4\x90").kind, Utf8Step::Kind::kInvalid);
  EXPECT_EQ(ReadUtf8("\xED\xA0").kind, Utf8Step::Kind::kInvalid);
  EXPECT_EQ(ReadUtf8("\x80").kind, Utf8Step::Kind::kInvalid);
}

TEST(Utf8, RandomBytesBecomeValidAndStayThatWay) {
  std::mt19937 rng(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(rng() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(rng() % 4 == 0 ? rng() % 128 : 128 + rng() % 128);
    const std::string text = ReplaceInvalidUtf8(bytes);
    ASSERT_TRUE(IsValidUtf8(text));
    ASSERT_EQ(ReplaceInvalidUtf8(text), text);
  }
}

}  // namespace
}  // namespace ocelli
