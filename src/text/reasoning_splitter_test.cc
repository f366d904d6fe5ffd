#include "text/reasoning_splitter.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "text/testing.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

// Of the golden tokenizer, whose tokens below 256 are bytes.
constexpr TokenId kImEnd = 258;
constexpr TokenId kThinkEnd = 281;

std::vector<TokenId> Bytes(std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
  return ids;
}

// The tokens of `reasoning`, the end of reasoning, and the tokens of `text`.
std::vector<TokenId> Tokens(std::string_view reasoning, std::string_view text) {
  std::vector<TokenId> ids = Bytes(reasoning);
  ids.push_back(kThinkEnd);
  for (const TokenId id : Bytes(text)) ids.push_back(id);
  return ids;
}

struct Split {
  std::string reasoning;
  std::string text;
  size_t reasoning_tokens = 0;
};

Split SplitAll(const std::vector<TokenId>& ids, std::optional<TokenId> end = kThinkEnd) {
  ReasoningSplitter splitter(testing::ByteTokenizer(), end);
  Split split;
  const auto add = [&](const AnswerPiece& piece) {
    EXPECT_TRUE(IsValidUtf8(piece.reasoning));
    EXPECT_TRUE(IsValidUtf8(piece.text));
    EXPECT_TRUE(piece.reasoning.empty() || split.text.empty()) << "reasoning after text";
    split.reasoning += piece.reasoning;
    split.text += piece.text;
  };
  for (const TokenId id : ids) {
    const AnswerPiece piece = splitter.Push(id);
    split.reasoning_tokens += piece.is_reasoning;
    add(piece);
  }
  add(splitter.Finish());
  return split;
}

TEST(ReasoningSplitter, DividesAtTheTokenAndDropsTheBreaksAroundIt) {
  const Split split = SplitAll(Tokens("\nwell,\n\nyes\n", "\n\nA cat.\n"));
  EXPECT_EQ(split.reasoning, "well,\n\nyes");
  EXPECT_EQ(split.text, "A cat.\n");
  EXPECT_EQ(split.reasoning_tokens, 12u + 1 + 2);
}

TEST(ReasoningSplitter, WithoutReasoningAllIsTextAndTheTokenIsShown) {
  const Split split = SplitAll(Tokens("\na", "\nb"), std::nullopt);
  EXPECT_EQ(split.text, "\na</think>\nb");
  EXPECT_EQ(split.reasoning, "");
  EXPECT_EQ(split.reasoning_tokens, 0u);
}

TEST(ReasoningSplitter, WhatLooksLikeTheTokenIsReasoning) {
  const Split split = SplitAll(Tokens("it says </think> here", "ok"));
  EXPECT_EQ(split.reasoning, "it says </think> here");
  EXPECT_EQ(split.text, "ok");
}

TEST(ReasoningSplitter, ASecondEndIsText) {
  std::vector<TokenId> ids = Tokens("r", "a");
  ids.push_back(kThinkEnd);
  EXPECT_EQ(SplitAll(ids).text, "a</think>");
}

TEST(ReasoningSplitter, ReasoningThatNeverEndsIsAllReasoning) {
  std::vector<TokenId> ids = Bytes("so\n");
  ids.push_back(kImEnd);
  const Split split = SplitAll(ids);
  EXPECT_EQ(split.reasoning, "so");
  EXPECT_EQ(split.text, "");
  EXPECT_EQ(split.reasoning_tokens, 4u);
}

TEST(ReasoningSplitter, CharactersCutByTheEndOrByTheTokenAreReplaced) {
  EXPECT_EQ(SplitAll(Tokens("a\xF0\x9F", "b")).reasoning, "a\xEF\xBF\xBD");
  EXPECT_EQ(SplitAll(Bytes("a\xF0\x9F")).reasoning, "a\xEF\xBF\xBD");
  const Split split = SplitAll(Tokens("a", "\n\xE7\x8C\xAB"));
  EXPECT_EQ(split.text, "\xE7\x8C\xAB");
  EXPECT_EQ(split.reasoning_tokens, 3u);
}

TEST(ReasoningSplitter, AnEndOfTextRightAfterTheReasoningIsNoReasoning) {
  std::vector<TokenId> ids = Tokens("r", "\n\n");
  ids.push_back(kImEnd);
  EXPECT_EQ(SplitAll(ids).reasoning_tokens, 4u);
}

TEST(ReasoningSplitter, AgreesWithStrippingTheWholeOnRandomAnswers) {
  std::mt19937 random(1);
  const auto words = [&] {
    std::string text;
    for (size_t i = random() % 8; i > 0; --i) {
      text += random() % 2 == 0 ? "\n" : testing::RandomText(random, 1 + random() % 3);
    }
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string reasoning = words();
    const std::string text = words();
    const size_t first = std::min(reasoning.find_first_not_of('\n'), reasoning.size());
    const size_t last = reasoning.find_last_not_of('\n') + 1;
    const Split split = SplitAll(Tokens(reasoning, text));
    ASSERT_EQ(split.reasoning, first < last ? reasoning.substr(first, last - first) : "");
    ASSERT_EQ(split.text, text.substr(std::min(text.find_first_not_of('\n'), text.size())));
  }
}

}  // namespace
}  // namespace ocelli
