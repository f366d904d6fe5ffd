#include "text/split_pattern.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/pattern_dialect.h"
#include "text/testing.h"

namespace ocelli {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

std::vector<std::string> Split(const SplitPattern& pattern, std::string_view text) {
  std::vector<std::string> pieces;
  pattern.ForEach(text, [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

std::vector<std::string> Split(std::string_view text) {
  static const SplitPattern qwen = *SplitPattern::Compile(kQwenPattern);
  return Split(qwen, text);
}

TEST(SplitPattern, CutsAsTheReferenceDoes) {
  EXPECT_THAT(Split("Hello, world!\n\nok"), ElementsAre("Hello", ",", " world", "!\n\n", "ok"));
  EXPECT_THAT(Split("don't WE'LL"), ElementsAre("don", "'t", " WE", "'LL"));
  EXPECT_THAT(Split("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(Split("12 3"), ElementsAre("1", "2", " ", "3"));
  EXPECT_THAT(Split("  \r\n x"), ElementsAre("  \r\n", " x"));
  EXPECT_THAT(Split("x  "), ElementsAre("x", "  "));
  EXPECT_THAT(Split("'\u017F"), ElementsAre("'\u017F"));  // long s is an s without case
  EXPECT_THAT(Split(""), ElementsAre());
}

TEST(SplitPattern, KeepsStretchesBetweenMatches) {
  EXPECT_THAT(Split(*SplitPattern::Compile("b+"), "abbac"), ElementsAre("a", "bb", "ac"));
  EXPECT_THAT(Split(*SplitPattern::Compile("x"), "abc"), ElementsAre("abc"));
}

TEST(SplitPattern, ClassesAreThoseOfUnicode16WhateverTheLibrary) {
  EXPECT_THAT(Split("a\u180E"), ElementsAre("a", "\u180E"));
  EXPECT_THAT(Split(" \u180E"), ElementsAre(" \u180E"));          // no white space: a symbol
  EXPECT_THAT(Split("a\u0085"), ElementsAre("a", "\u0085"));      // white space
  EXPECT_THAT(Split("a\U00031350"), ElementsAre("a\U00031350"));  // CJK extension H, Unicode 15.0
  EXPECT_THAT(Split("a\U0002EBF0"), ElementsAre("a\U0002EBF0"));  // CJK extension I, Unicode 15.1
  EXPECT_THAT(Split("a\U00010D40\U00010D41"),                     // digits of Unicode 16.0
              ElementsAre("a", "\U00010D40", "\U00010D41"));
}

TEST(SplitPattern, TranslationLeavesEscapedBackslashesAlone) {
  EXPECT_EQ(TranslatePattern(R"(\\s\s)"), R"(\\s\p{White_Space})");
  EXPECT_EQ(TranslatePattern(R"([\]\S]a)"), R"([\]\P{White_Space}]a)");
  EXPECT_TRUE(TranslatePattern(R"(\p{L})").starts_with(R"([\p{L}\x)"));
  EXPECT_TRUE(TranslatePattern(R"([^\p{N}])").starts_with(R"([^\p{N}\x)"));
  EXPECT_EQ(TranslatePattern("ab\\"), "ab\\");
}

TEST(SplitPattern, InterpreterGivesTheSamePieces) {
  const SplitPattern compiled = *SplitPattern::Compile(kQwenPattern);
  const SplitPattern interpreted =
      *SplitPattern::Compile(kQwenPattern, SplitPattern::Engine::kInterpreted);
  std::mt19937 rng(5);
  for (int round = 0; round < 500; ++round) {
    const std::string text = testing::RandomText(rng, rng() % 200);
    ASSERT_EQ(Split(compiled, text), Split(interpreted, text)) << text;
  }
}

// One megabyte without a split point, of every kind, in both engines.
TEST(SplitPattern, MegabyteRunsStayOnePiece) {
  const SplitPattern compiled = *SplitPattern::Compile(kQwenPattern);
  const SplitPattern interpreted =
      *SplitPattern::Compile(kQwenPattern, SplitPattern::Engine::kInterpreted);
  for (const char* unit : {"a", "中", " ", "\n", "\r\n", "!", "\t"}) {
    std::string run;
    while (run.size() < (1u << 20)) run += unit;
    EXPECT_THAT(Split(compiled, run), ElementsAre(run)) << unit;
    EXPECT_THAT(Split(interpreted, run), ElementsAre(run)) << unit;
  }
  const std::string blanks(1u << 20, ' ');
  EXPECT_THAT(Split(compiled, blanks + "x"), ElementsAre(blanks.substr(1), " x"));
  EXPECT_THAT(Split(interpreted, blanks + "x"), ElementsAre(blanks.substr(1), " x"));
}

// Each turn of the group needs a frame of the machine stack, which ends after some thousand turns.
TEST(SplitPattern, InterpreterTakesOverWhenMachineCodeRunsOutOfStack) {
  const SplitPattern pattern = *SplitPattern::Compile("(?:a|ab)+c");
  const std::string text = std::string(100000, 'a') + "c";
  EXPECT_THAT(Split(pattern, text + "!"), ElementsAre(text, "!"));
}

TEST(SplitPattern, APatternWithoutEndLeavesTheRestWhole) {
  const SplitPattern pattern = *SplitPattern::Compile("x|(?:a|aa)+$");
  const std::string rest = std::string(60, 'a') + "b";
  EXPECT_THAT(Split(pattern, "x" + rest), ElementsAre("x", rest));
}

TEST(SplitPattern, RefusesWhatIsNoPatternOrMatchesNothing) {
  EXPECT_EQ(SplitPattern::Compile("(a").error().code, ErrorCode::kCorruptData);
  EXPECT_EQ(SplitPattern::Compile("a*").error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace ocelli
