#include "text/tokenizer.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/detokenizer.h"
#include "text/prompt.h"
#include "text/testing.h"

namespace ocelli {
namespace {

using testing::ByteTokenizer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PublishedTokenizer;

constexpr TokenId kFirstPublishedControl = 151643;

std::vector<TokenId> Ids(const nlohmann::json& golden) {
  return golden.at("ids").get<std::vector<TokenId>>();
}

// The golden cases are of strings in which the reference looks for control tokens: makes the prompt
// that says the same with pieces.
Prompt PromptOfControlString(std::string_view text) {
  Prompt prompt;
  while (!text.empty()) {
    size_t at = text.size();
    std::string_view control;
    for (TokenId id = kFirstPublishedControl; id < kFirstPublishedControl + 26; ++id) {
      const std::string_view content = PublishedTokenizer().Bytes(id);
      if (const size_t found = text.find(content); found < at) {
        at = found;
        control = content;
      }
    }
    prompt.AddText(text.substr(0, at));
    if (!control.empty()) prompt.AddControl(control);
    text.remove_prefix(at + control.size());
  }
  return prompt;
}

TEST(Tokenizer, EqualsTheReferenceOnEveryGoldenCase) {
  const std::vector<nlohmann::json> cases = testing::ReadGoldenLines("tokenizer/cases.jsonl");
  ASSERT_EQ(cases.size(), 970u);
  for (const nlohmann::json& golden : cases) {
    const auto text = golden.at("text").get<std::string>();
    const std::vector<TokenId> expected = Ids(golden);
    EXPECT_EQ(TokenizePrompt(PublishedTokenizer(), PromptOfControlString(text), {})->ids, expected)
        << text;
    EXPECT_EQ(Decode(PublishedTokenizer(), expected, SpecialTokens::kKeep),
              golden.at("decoded").get<std::string>());
  }
}

TEST(Tokenizer, EqualsTheReferenceOnTrickyTexts) {
  const std::vector<nlohmann::json> cases = testing::ReadGoldenLines("tokenizer/more_cases.jsonl");
  ASSERT_GT(cases.size(), 600u);
  for (const nlohmann::json& golden : cases) {
    const auto text = golden.at("text").get<std::string>();
    EXPECT_EQ(PublishedTokenizer().Encode(text), Ids(golden)) << text;
  }
}

TEST(Tokenizer, KnowsThePublishedVocabulary) {
  const Tokenizer& tokenizer = PublishedTokenizer();
  EXPECT_EQ(tokenizer.vocab_size(), 151669u);
  EXPECT_EQ(tokenizer.ControlToken("<|im_end|>"), 151645);
  EXPECT_EQ(tokenizer.ControlToken("<|image_pad|>"), 151655);
  EXPECT_EQ(tokenizer.ControlToken("hello"), std::nullopt);  // a token, but no control token
  EXPECT_EQ(tokenizer.ControlToken("<|no_such|>"), std::nullopt);
  EXPECT_EQ(tokenizer.Bytes(220), " ");
  EXPECT_TRUE(tokenizer.IsSpecial(151645));
  EXPECT_TRUE(tokenizer.IsControl(151657));  // <tool_call>
  EXPECT_FALSE(tokenizer.IsSpecial(151657));
  EXPECT_FALSE(tokenizer.IsControl(220));
  EXPECT_THAT(tokenizer.Encode("->"), ElementsAre(405));
}

TEST(Tokenizer, IdsWithoutMeaningAreEmpty) {
  for (const TokenId id : {TokenId{-1}, TokenId{151669}, TokenId{151935}, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(PublishedTokenizer().Bytes(id), "");
    EXPECT_FALSE(PublishedTokenizer().IsControl(id));
    EXPECT_FALSE(PublishedTokenizer().IsSpecial(id));
  }
}

TEST(Tokenizer, TextNeverBecomesAControlToken) {
  const Tokenizer& tokenizer = PublishedTokenizer();
  for (TokenId id = kFirstPublishedControl; id < kFirstPublishedControl + 26; ++id) {
    ASSERT_TRUE(tokenizer.IsControl(id));
    const std::string content(tokenizer.Bytes(id));
    for (const std::string& text : {content, "a" + content + "b", content + "\n" + content}) {
      const std::vector<TokenId> ids = tokenizer.Encode(text);
      EXPECT_TRUE(std::none_of(ids.begin(), ids.end(), [&](TokenId each) {
        return tokenizer.IsControl(each);
      })) << text;
      EXPECT_EQ(Decode(tokenizer, ids), text);  // nothing is filtered from what the model sees
    }
  }
}

TEST(Tokenizer, ByteVocabularyGivesBytes) {
  EXPECT_THAT(ByteTokenizer().Encode("a\n中"), ElementsAre('a', '\n', 0xE4, 0xB8, 0xAD));
  EXPECT_THAT(ByteTokenizer().Encode("e\u0301"), ElementsAre(0xC3, 0xA9));  // NFC
  EXPECT_EQ(ByteTokenizer().ControlToken("<|im_end|>"), 258);
  EXPECT_EQ(ByteTokenizer().vocab_size(), 282u);
}

TEST(Tokenizer, IllFormedTextReadsAsReplacementCharacters) {
  const Tokenizer& tokenizer = PublishedTokenizer();
  EXPECT_EQ(tokenizer.Encode("a\xFF\xE4\xB8z"), tokenizer.Encode("a\uFFFD\uFFFDz"));
  EXPECT_EQ(tokenizer.Encode("\xED\xA0\x80"), tokenizer.Encode("\uFFFD\uFFFD\uFFFD"));
  EXPECT_EQ(tokenizer.Encode("\xC4\xE3\xBA\xC3"), tokenizer.Encode("\uFFFD\uFFFD\uFFFD"));
  const std::string_view nul("a\0b", 3);
  EXPECT_EQ(Decode(tokenizer, tokenizer.Encode(nul)), nul);
}

TEST(Tokenizer, RandomTextComesBackInNormalForm) {
  std::mt19937 rng(17);
  for (int round = 0; round < 300; ++round) {
    const std::string text = testing::RandomText(rng, rng() % 100);
    const std::vector<TokenId> ids = PublishedTokenizer().Encode(text);
    const std::string decoded = Decode(PublishedTokenizer(), ids);
    EXPECT_EQ(PublishedTokenizer().Encode(decoded), ids) << text;
    EXPECT_EQ(Decode(ByteTokenizer(), ByteTokenizer().Encode(text)), decoded) << text;
  }
}

// One pre-token of a megabyte. A quadratic merge loop would take hours here, not seconds.
TEST(Tokenizer, MegabyteRunsComeBackWhole) {
  std::mt19937 rng(19);
  const size_t size = 1u << 20;
  std::string letters(size, 'a');
  for (char& c : letters) c = static_cast<char>('a' + rng() % 26);
  std::string han;
  while (han.size() < size) han += rng() % 2 == 0 ? "中" : "文";
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(rng());
  for (const std::string& text : {letters, han, std::string(size, 'a'), std::string(size, ' '),
                                  std::string(size, '\n'), std::string(size, '7')}) {
    EXPECT_TRUE(Decode(PublishedTokenizer(), PublishedTokenizer().Encode(text)) == text)
        << text.substr(0, 10);
  }
  EXPECT_FALSE(PublishedTokenizer().Encode(bytes).empty());
}

TEST(Tokenizer, PiecesOverTheLimitAreCutNotRefused) {
  const std::string text((size_t{1} << 24) + 5, '-');
  EXPECT_EQ(ByteTokenizer().Encode(text).size(), text.size());
}

TEST(Tokenizer, LooksUpWholeWordsOnlyWhereMergingGivesThem) {
  nlohmann::json json = testing::SmallTokenizerJson();
  json["model"]["vocab"]["bc"] = 310;    // no merge makes it
  json["model"]["vocab"]["abca"] = 311;  // nor this
  const Result<Tokenizer> tokenizer = Tokenizer::FromJson(json.dump());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  EXPECT_THAT(tokenizer->Encode("bc"), ElementsAre('b', 'c'));
  EXPECT_THAT(tokenizer->Encode("abca"), ElementsAre(301, 'a'));
  EXPECT_THAT(tokenizer->Encode("abc"), ElementsAre(301));
}

TEST(Tokenizer, FileErrorsNameTheFile) {
  EXPECT_EQ(Tokenizer::FromFile("/no/such/tokenizer.json").error().code, ErrorCode::kNotFound);
  const std::filesystem::path path = testing::GoldenPath("README.md");
  const Error error = Tokenizer::FromFile(path).error();
  EXPECT_EQ(error.code, ErrorCode::kCorruptData);
  EXPECT_EQ(error.param, path.string());
  EXPECT_THAT(error.message, HasSubstr("README.md"));
}

}  // namespace
}  // namespace ocelli
