#include "engine/stop_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/answer_text.h"
#include "engine/test_engine.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

using Strings = std::vector<std::string>;

// The text before the stop string that completes first, the longest of those that end there.
std::string CutAtStop(const std::string& text, const Strings& stop) {
  for (size_t end = 1; end <= text.size(); ++end) {
    size_t longest = 0;
    for (const std::string& one : stop) {
      const bool here = end >= one.size() && text.compare(end - one.size(), one.size(), one) == 0;
      if (here) longest = std::max(longest, one.size());
    }
    if (longest > 0) return text.substr(0, end - longest);
  }
  return text;
}

TEST(StopMatcher, GivesTextOutAtOnceWhenItCannotBecomeAStop) {
  StopMatcher matcher({"STOP"});
  EXPECT_EQ(matcher.Push("hello"), "hello");
  EXPECT_EQ(matcher.Push(" S"), " ");
  EXPECT_EQ(matcher.Push("TO"), "");
  EXPECT_EQ(matcher.Push("!"), "STO!");
  EXPECT_FALSE(matcher.stopped());
}

TEST(StopMatcher, FindsAStopAcrossPiecesAndGivesNothingAfterIt) {
  StopMatcher matcher({"STOP"});
  EXPECT_EQ(matcher.Push("a ST"), "a ");
  EXPECT_EQ(matcher.Push("OP b"), "");
  EXPECT_TRUE(matcher.stopped());
  EXPECT_EQ(matcher.Push("more"), "");
  EXPECT_EQ(matcher.Finish(), "");
}

TEST(StopMatcher, HeldTextIsGivenAtTheEnd) {
  StopMatcher matcher({"12, "});
  EXPECT_EQ(matcher.Push("is 12,"), "is ");
  EXPECT_EQ(matcher.Finish(), "12,");
}

TEST(StopMatcher, OverlappingStartsAreNotMissed) {
  StopMatcher matcher({"aab"});
  EXPECT_EQ(matcher.Push("aaaa"), "aa");
  EXPECT_EQ(matcher.Push("b"), "");
  EXPECT_TRUE(matcher.stopped());
}

TEST(StopMatcher, OfTwoThatEndTogetherTheLongerCounts) {
  StopMatcher matcher({"b", "ab"});
  EXPECT_EQ(matcher.Push("xab"), "x");
  StopMatcher reversed({"ab", "b"});
  EXPECT_EQ(reversed.Push("xab"), "x");
}

TEST(StopMatcher, EveryCutOfRandomTextGivesTheSameAnswer) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    Strings stop(1 + random() % 3);
    for (std::string& one : stop) {
      for (size_t i = 0; i < 1 + random() % 4; ++i) one.push_back("ab"[random() % 2]);
      if (one.empty()) one = "a";
    }
    std::string text;
    for (size_t i = 0; i < random() % 20; ++i) text.push_back("abc"[random() % 3]);
    StopMatcher matcher(stop);
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t count = 1 + random() % 4;
      out += matcher.Push(text.substr(at, count));
      ASSERT_TRUE(CutAtStop(text, stop).starts_with(out)) << "leaked " << out << " of " << text;
      at += count;
    }
    out += matcher.Finish();
    ASSERT_EQ(out, CutAtStop(text, stop)) << text;
  }
}

TEST(AnswerText, NeverGivesHalfACharacterAndFindsAStopInsideAnEmoji) {
  const auto tokenizer = ByteTokenizer();
  const std::string family =
      "x\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9y";  // man, joiner, woman
  AnswerText text(*tokenizer, {"\xE2\x80\x8D"});
  std::string out;
  for (const char c : family) {
    out += text.Push(static_cast<unsigned char>(c)).text;
    EXPECT_TRUE(IsValidUtf8(out));
  }
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(out + text.Finish().text, "x\xF0\x9F\x91\xA8");
}

TEST(AnswerText, AnUnfinishedCharacterIsReplacedAtTheEnd) {
  const auto tokenizer = ByteTokenizer();
  AnswerText text(*tokenizer, {});
  EXPECT_EQ(text.Push('a').text, "a");
  EXPECT_EQ(text.Push(0xF0).text, "");
  EXPECT_EQ(text.Finish().text, "\xEF\xBF\xBD");
}

TEST(AnswerText, StopStringsSleepWhileTheModelReasons) {
  constexpr TokenId kThinkEnd = 281;
  const auto tokenizer = ByteTokenizer();
  AnswerText text(*tokenizer, {"st"}, kThinkEnd);
  AnswerPiece joined;
  const auto push = [&](TokenId id) {
    const AnswerPiece piece = text.Push(id);
    joined.reasoning += piece.reasoning;
    joined.text += piece.text;
  };
  for (const char c : std::string("a stop s")) push(c);
  EXPECT_FALSE(text.stopped());
  push(kThinkEnd);
  for (const char c : std::string("\nt, best")) push(c);
  EXPECT_TRUE(text.stopped());
  EXPECT_EQ(joined.reasoning, "a stop s");
  EXPECT_EQ(joined.text, "t, be");
}

}  // namespace
}  // namespace ocelli
