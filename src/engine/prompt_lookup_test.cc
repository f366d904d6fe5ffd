#include "engine/prompt_lookup.h"

#include <gtest/gtest.h>

namespace ocelli {
namespace {

using Tokens = std::vector<TokenId>;

Tokens Guess(const PromptLookup& lookup, Tokens tokens, size_t limit = 100) {
  const size_t before = tokens.size();
  const size_t count = lookup.AppendGuess(tokens, limit);
  EXPECT_EQ(tokens.size(), before + count);
  return Tokens(tokens.begin() + static_cast<ptrdiff_t>(before), tokens.end());
}

TEST(PromptLookup, ContinuesTheLatestEarlierMatch) {
  const PromptLookup lookup(3);
  EXPECT_EQ(Guess(lookup, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3}), (Tokens{4, 5, 6}));
  EXPECT_EQ(Guess(lookup, {1, 2, 3, 9, 1, 2, 3, 8, 8, 8, 1, 2, 3}), (Tokens{8, 8, 8}));
}

TEST(PromptLookup, PrefersThreeTokensToTwo) {
  const PromptLookup lookup(1);
  EXPECT_EQ(Guess(lookup, {1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3}), (Tokens{4}));
  EXPECT_EQ(Guess(lookup, {9, 2, 3, 5, 1, 2, 3}), (Tokens{5}));
}

TEST(PromptLookup, GuessesNothingWithoutAMatch) {
  const PromptLookup lookup(4);
  EXPECT_TRUE(Guess(lookup, {1, 2, 3, 4}).empty());
  EXPECT_TRUE(Guess(lookup, {1}).empty());
  EXPECT_TRUE(Guess(lookup, {1, 2}).empty());
  EXPECT_TRUE(Guess(PromptLookup(0), {1, 2, 1, 2, 1, 2}).empty());
  EXPECT_TRUE(Guess(lookup, {1, 2, 3, 1, 2, 3}, 0).empty());
}

TEST(PromptLookup, ARepetitionGoesOnPastItsEnd) {
  const PromptLookup lookup(6);
  EXPECT_EQ(Guess(lookup, {7, 7, 7, 7}), (Tokens{7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(Guess(lookup, {1, 2, 1, 2, 1}), (Tokens{2, 1, 2, 1, 2, 1}));
}

TEST(PromptLookup, GuessesLessWhileItFailsAndRecoversAtOnce) {
  PromptLookup lookup(8);
  const Tokens tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2, 3};
  EXPECT_EQ(Guess(lookup, tokens).size(), 8u);
  lookup.Report(8, 0);
  EXPECT_EQ(Guess(lookup, tokens).size(), 4u);
  for (int i = 0; i < 100; ++i) lookup.Report(1, 0);
  EXPECT_EQ(Guess(lookup, tokens).size(), 1u);
  lookup.Report(0, 0);
  EXPECT_EQ(Guess(lookup, tokens).size(), 1u);
  lookup.Report(1, 1);
  EXPECT_EQ(Guess(lookup, tokens).size(), 8u);
}

}  // namespace
}  // namespace ocelli
