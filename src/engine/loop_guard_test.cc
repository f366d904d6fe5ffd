#include "engine/loop_guard.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ocelli {
namespace {

// Feeds `text`, a byte a token, and returns the length at which the guard fires.
std::optional<size_t> FiresAt(const std::string& text, size_t* second_copy = nullptr) {
  LoopGuard guard;
  std::vector<TokenId> answer;
  for (const char c : text) {
    answer.push_back(static_cast<unsigned char>(c));
    if (const auto second = guard.Push(answer)) {
      if (second_copy != nullptr) *second_copy = *second;
      return answer.size();
    }
  }
  return std::nullopt;
}

std::string Repeat(const std::string& part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string Letters(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text.push_back(static_cast<char>('!' + (i * 37 + i / 90) % 90));
  return text;
}

TEST(LoopGuard, StopsOneTokenForEver) {
  size_t second_copy = 0;
  EXPECT_EQ(FiresAt("before" + Repeat("0", 5000), &second_copy), 6 + LoopGuard::kMinLoopTokens);
  EXPECT_EQ(second_copy, 7u);
}

TEST(LoopGuard, StopsALineForEver) {
  const std::string line = "| 0.00 | 0.00\n";
  EXPECT_EQ(FiresAt("Total:" + Repeat(line, 500)), 6 + LoopGuard::kMinLoopTokens);
}

TEST(LoopGuard, StopsAParagraphForEver) {
  const std::string paragraph = Letters(200);
  size_t second_copy = 0;
  EXPECT_EQ(FiresAt("x" + Repeat(paragraph, 50), &second_copy), 1 + 12 * 200u);
  EXPECT_EQ(second_copy, 1u + 200u);
}

TEST(LoopGuard, AllowsEqualRowsOfATable) {
  EXPECT_FALSE(FiresAt(Repeat("| 0 | 0 | 0\n", 40)));
  EXPECT_FALSE(FiresAt(Repeat("|  |  |  |  |\n", 50)));
}

TEST(LoopGuard, AllowsASheetOfEqualLabels) {
  EXPECT_FALSE(FiresAt(Repeat("ACME Ltd\n12 Main Rd\nTown", 24)));
  EXPECT_FALSE(FiresAt(Repeat(Letters(100), 6)));
}

TEST(LoopGuard, AllowsDottedLinesAndRules) {
  EXPECT_FALSE(FiresAt("1 Introduction " + Repeat(".", 300) + " 7\n2 Method " + Repeat(".", 300)));
  EXPECT_FALSE(FiresAt(Repeat("-", 700)));
}

TEST(LoopGuard, AllowsLongListsThatCount) {
  std::string list;
  for (int i = 1; i <= 2000; ++i) list += std::to_string(i) + ". item\n";
  EXPECT_FALSE(FiresAt(list));
  std::string table;
  for (int i = 0; i < 400; ++i) table += "| " + std::to_string(i % 97) + " | 0.00 | 0.00 |\n";
  EXPECT_FALSE(FiresAt(table));
}

TEST(LoopGuard, OneChangeStartsTheCountAfresh) {
  EXPECT_FALSE(FiresAt(Repeat("a", 767) + "b" + Repeat("a", 767)));
  EXPECT_TRUE(FiresAt(Repeat("a", 767) + "b" + Repeat("a", 768)));
}

}  // namespace
}  // namespace ocelli
