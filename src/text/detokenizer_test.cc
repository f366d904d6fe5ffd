#include "text/detokenizer.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "text/testing.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

using testing::ByteTokenizer;
using testing::PublishedTokenizer;

// Streams `ids`, checking that every part stands alone as UTF-8, and returns the joined text.
std::string Stream(const Tokenizer& tokenizer, const std::vector<TokenId>& ids,
                   SpecialTokens special_tokens = SpecialTokens::kSkip) {
  StreamingDetokenizer detokenizer(tokenizer, special_tokens);
  std::string joined;
  for (const TokenId id : ids) {
    const std::string part = detokenizer.Push(id);
    EXPECT_TRUE(IsValidUtf8(part));
    joined += part;
  }
  return joined + detokenizer.Finish();
}

std::vector<TokenId> Bytes(std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) ids.push_back(static_cast<uint8_t>(c));
  return ids;
}

TEST(StreamingDetokenizer, GivesACharacterWhenItsLastByteCame) {
  StreamingDetokenizer detokenizer(ByteTokenizer());
  EXPECT_EQ(detokenizer.Push(0xF0), "");
  EXPECT_EQ(detokenizer.Push(0x9F), "");
  EXPECT_EQ(detokenizer.Push(0x98), "");
  EXPECT_EQ(detokenizer.Push(0x80), "\U0001F600");
  EXPECT_EQ(detokenizer.Push('a'), "a");
  EXPECT_EQ(detokenizer.Finish(), "");
}

TEST(StreamingDetokenizer, EmojiFamiliesFlagsAndHanNeverShowReplacementCharacters) {
  const std::string text =
      "👨\u200D👩\u200D👧\u200D👦 🇨🇳 👍🏽 你好，世界 𠮷 안녕 مرحبا "
      "🏴\U000E0067\U000E0062\U000E007F";
  for (const Tokenizer* tokenizer : {&ByteTokenizer(), &PublishedTokenizer()}) {
    EXPECT_EQ(Stream(*tokenizer, tokenizer->Encode(text)), text);
  }
}

TEST(StreamingDetokenizer, IllFormedPartsBecomeReplacementCharactersAtOnce) {
  StreamingDetokenizer detokenizer(ByteTokenizer());
  EXPECT_EQ(detokenizer.Push(0xE4), "");
  EXPECT_EQ(detokenizer.Push('a'), "\uFFFDa");
  EXPECT_EQ(detokenizer.Push(0x80), "\uFFFD");
  EXPECT_EQ(detokenizer.Push(0xF0), "");
  EXPECT_EQ(detokenizer.Push(0x9F), "");
  EXPECT_EQ(detokenizer.Finish(), "\uFFFD");
  EXPECT_EQ(detokenizer.Finish(), "");
}

TEST(StreamingDetokenizer, SpecialTokensAreSkippedUnlessAskedFor) {
  const Tokenizer& tokenizer = PublishedTokenizer();
  const std::vector<TokenId> ids = {*tokenizer.ControlToken("<|im_start|>"), 64,
                                    *tokenizer.ControlToken("<tool_call>"),
                                    *tokenizer.ControlToken("<|im_end|>"), 151700};
  EXPECT_EQ(Stream(tokenizer, ids), "a<tool_call>");
  EXPECT_EQ(Stream(tokenizer, ids, SpecialTokens::kKeep), "<|im_start|>a<tool_call><|im_end|>");
}

TEST(StreamingDetokenizer, JoinedStreamEqualsDecodeForRandomTokens) {
  std::mt19937 rng(23);
  for (int round = 0; round < 300; ++round) {
    std::vector<TokenId> ids(rng() % 200);
    for (TokenId& id : ids) id = static_cast<TokenId>(rng() % 152000);
    EXPECT_EQ(Stream(PublishedTokenizer(), ids), Decode(PublishedTokenizer(), ids));
    // Bytes above 0x7F only: nearly every part is ill-formed or unfinished.
    for (TokenId& id : ids) id = static_cast<TokenId>(128 + rng() % 128);
    EXPECT_EQ(Stream(ByteTokenizer(), ids), Decode(ByteTokenizer(), ids));
  }
}

TEST(StreamingDetokenizer, JoinedStreamEqualsTheTextForRandomTexts) {
  std::mt19937 rng(29);
  for (int round = 0; round < 300; ++round) {
    const std::string text = testing::RandomText(rng, rng() % 60);
    EXPECT_EQ(Stream(ByteTokenizer(), Bytes(text)), text);
  }
}

}  // namespace
}  // namespace ocelli
