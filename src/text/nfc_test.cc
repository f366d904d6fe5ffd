#include "text/nfc.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <random>

#include "gtest/gtest.h"
#include "text/testing.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

// The library's own way, which takes quadratic time on long runs of marks.
std::string LibraryNfc(std::string_view text) {
  utf8proc_uint8_t* out = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &out,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
  return {reinterpret_cast<const char*>(out), static_cast<size_t>(size)};
}

TEST(Nfc, ComposesAndReordersMarks) {
  EXPECT_EQ(ToNfc("cafe\u0301"), "caf\u00E9");
  EXPECT_EQ(ToNfc("q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(ToNfc("\u1100\u1161\u11A8"), "\uAC01");
  EXPECT_EQ(ToNfc("\u212B"), "\u00C5");
  EXPECT_EQ(ToNfc("\u0958"), "\u0915\u093C");        // excluded from composition
  EXPECT_EQ(ToNfc("\uFF0C\uFB01"), "\uFF0C\uFB01");  // compatibility forms stay
  EXPECT_EQ(ToNfc(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
}

TEST(Nfc, EqualsTheLibraryOnEveryCharacterAndIsSureOnlyWhereItMay) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text = "e";
    AppendUtf8(c, text);
    const std::string expected = LibraryNfc(text);
    ASSERT_EQ(ToNfc(text), expected) << static_cast<uint32_t>(c);
    ASSERT_TRUE(!IsSurelyNfc(text) || text == expected) << static_cast<uint32_t>(c);
  }
}

TEST(Nfc, EqualsTheLibraryOnRandomText) {
  std::mt19937 rng(3);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = testing::RandomText(rng, rng() % 40);
    ASSERT_EQ(ToNfc(text), LibraryNfc(text)) << text;
  }
}

TEST(Nfc, OrdinaryTextNeedsNoWork) {
  EXPECT_TRUE(
      IsSurelyNfc("plain text, Müller, 中文，。《》 日本語カナ 한국어 Привет \u2019\U0001F600"));
  EXPECT_FALSE(IsSurelyNfc("e\u0301"));
}

// Half a million marks in falling order: a quadratic sort would run for minutes. U+0316 and U+0345
// join no "b", so the result is the sorted input.
TEST(Nfc, LongRunsOfMarksAreSortedInReasonableTime) {
  constexpr int kMarks = 250000;
  std::string text = "b";
  std::string expected = "b";
  for (int i = 0; i < kMarks; ++i) text += "\u0345\u0316";
  for (int i = 0; i < kMarks; ++i) expected += "\u0316";
  for (int i = 0; i < kMarks; ++i) expected += "\u0345";
  EXPECT_EQ(ToNfc(text), expected);
}

}  // namespace
}  // namespace ocelli
