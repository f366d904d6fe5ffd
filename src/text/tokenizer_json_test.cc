#include "text/tokenizer_json.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/testing.h"

namespace ocelli {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

// A way to spoil SmallTokenizerJson, and what the refusal must say.
struct Fault {
  std::function<void(Json&)> spoil;
  ErrorCode code;
  std::string message;
};

void ExpectRefusals(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) {
    Json json = testing::SmallTokenizerJson();
    fault.spoil(json);
    const Result<TokenizerSpec> spec = ParseTokenizerJson(json.dump());
    ASSERT_FALSE(spec.ok()) << fault.message;
    EXPECT_EQ(spec.error().code, fault.code) << spec.error().message;
    EXPECT_THAT(spec.error().message, HasSubstr(fault.message));
  }
}

TEST(TokenizerJson, ReadsVocabularyMergesAndControls) {
  const Result<TokenizerSpec> spec = ParseTokenizerJson(testing::SmallTokenizerJson().dump());
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->token_bytes.size(), 304u);
  EXPECT_EQ(spec->token_bytes[301], "abc");
  EXPECT_EQ(spec->token_bytes[299], "");
  EXPECT_EQ(spec->byte_tokens[0], 0);
  EXPECT_EQ(spec->byte_tokens[255], 255);
  ASSERT_EQ(spec->merges.size(), 2u);
  EXPECT_EQ(spec->merges[1].left, 300);
  EXPECT_EQ(spec->merges[1].right, 'c');
  EXPECT_EQ(spec->merges[1].result, 301);
  ASSERT_EQ(spec->controls.size(), 2u);
  EXPECT_TRUE(spec->controls[0].is_special);
  EXPECT_FALSE(spec->controls[1].is_special);
  EXPECT_TRUE(spec->normalizes_to_nfc);
  EXPECT_TRUE(spec->pattern.has_value());
}

TEST(TokenizerJson, ReadsTheVariantsOfPublishedFiles) {
  Json json = testing::SmallTokenizerJson();
  json["normalizer"] = nullptr;
  json["truncation"] = nullptr;
  json["post_processor"] = {{"type", "ByteLevel"}, {"trim_offsets", false}};
  json["model"]["dropout"] = nullptr;
  json["model"]["continuing_subword_prefix"] = "";
  json["model"]["byte_fallback"] = false;
  json["model"]["merges"] = Json::array();
  const Json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  json["pre_tokenizer"] = byte_level;
  EXPECT_FALSE(ParseTokenizerJson(json.dump())->pattern.has_value());
  const Json split = {{"type", "Split"}, {"pattern", {{"Regex", "x+"}}}, {"behavior", "Isolated"}};
  json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}};
  const Result<TokenizerSpec> spec = ParseTokenizerJson(json.dump());
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->pattern, "x+");
  EXPECT_FALSE(spec->normalizes_to_nfc);
  EXPECT_TRUE(spec->merges.empty());
}

TEST(TokenizerJson, AnAddedTokenMayRepeatItsOwnVocabularyEntry) {
  Json json = testing::SmallTokenizerJson();
  json["model"]["vocab"]["<|im_end|>"] = 302;
  EXPECT_TRUE(ParseTokenizerJson(json.dump()).ok());
}

TEST(TokenizerJson, RefusesByNameWhatIsNotImplemented) {
  const auto unsupported = ErrorCode::kUnsupported;
  const auto steps = [](Json& j) -> Json& {
    j["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"}, {"pattern", {{"Regex", "x"}}}, {"behavior", "Isolated"}},
          {{"type", "ByteLevel"}, {"use_regex", false}}}}};
    return j["pre_tokenizer"]["pretokenizers"];
  };
  ExpectRefusals({
      {[](Json& j) { j["model"]["type"] = "WordPiece"; }, unsupported, "model \"WordPiece\""},
      {[](Json& j) { j["model"].erase("type"); }, unsupported, "model without a type"},
      {[](Json& j) { j.erase("model"); }, unsupported, "model without a type"},
      {[](Json& j) { j["model"]["dropout"] = 0.1; }, unsupported, "dropout"},
      {[](Json& j) { j["model"]["unk_token"] = "<unk>"; }, unsupported, "unk_token"},
      {[](Json& j) { j["model"]["byte_fallback"] = true; }, unsupported, "byte_fallback"},
      {[](Json& j) { j["model"]["ignore_merges"] = true; }, unsupported, "ignore_merges"},
      {[](Json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }, unsupported, "end_of_word"},
      {[](Json& j) { j["normalizer"]["type"] = "Lowercase"; }, unsupported, "\"Lowercase\""},
      {[](Json& j) { j["normalizer"] = 5; }, unsupported, "normalizer without a type"},
      {[](Json& j) { j["pre_tokenizer"]["type"] = "Metaspace"; }, unsupported, "\"Metaspace\""},
      {[](Json& j) { j["pre_tokenizer"] = nullptr; }, unsupported, "pre-tokenizer null"},
      {[](Json& j) { j["pre_tokenizer"]["add_prefix_space"] = true; }, unsupported, "prefix_space"},
      {[&](Json& j) { steps(j)[0]["type"] = "Digits"; }, unsupported, "\"Digits\""},
      {[&](Json& j) {
         steps(j)[0]["pattern"] = {{"String", " "}};
       },
       unsupported, "\"Regex\""},
      {[&](Json& j) { steps(j)[0]["behavior"] = "Removed"; }, unsupported, "\"Isolated\""},
      {[&](Json& j) { steps(j)[0]["invert"] = true; }, unsupported, "not inverted"},
      {[&](Json& j) { steps(j)[1]["use_regex"] = true; }, unsupported, "use_regex"},
      {[&](Json& j) { steps(j).erase(1); }, unsupported, "\"Sequence\""},
      {[](Json& j) { j["decoder"]["type"] = "Metaspace"; }, unsupported, "decoder \"Metaspace\""},
      {[](Json& j) { j.erase("decoder"); }, unsupported, "decoder null"},
      {[](Json& j) {
         j["post_processor"] = {{"type", "TemplateProcessing"}};
       },
       unsupported, "Templ"},
      {[](Json& j) { j["truncation"] = Json::object(); }, unsupported, "truncation"},
      {[](Json& j) { j["padding"] = Json::object(); }, unsupported, "padding"},
      {[](Json& j) { j["added_tokens"][0]["lstrip"] = true; }, unsupported, "lstrip"},
  });
}

TEST(TokenizerJson, RefusesValuesThatMakeNoTokenizer) {
  const auto corrupt = ErrorCode::kCorruptData;
  ExpectRefusals({
      {[](Json& j) { j = Json::array(); }, corrupt, "not a JSON object"},
      {[](Json& j) { j["model"].erase("vocab"); }, corrupt, "no vocabulary"},
      {[](Json& j) { j["model"]["vocab"] = Json::array(); }, corrupt, "no vocabulary"},
      {[](Json& j) { j["model"]["vocab"].erase("a"); }, corrupt, "no token for the byte 0x61"},
      {[](Json& j) { j["model"]["vocab"]["ab"] = -1; }, corrupt, "-1 of token \"ab\""},
      {[](Json& j) { j["model"]["vocab"]["ab"] = kMaxVocabSize; }, corrupt, "not between 0 and"},
      {[](Json& j) { j["model"]["vocab"]["ab"] = UINT64_MAX; }, corrupt, "not between 0 and"},
      {[](Json& j) { j["model"]["vocab"]["ab"] = 1.5; }, corrupt, "not an integer"},
      {[](Json& j) { j["model"]["vocab"]["ab"] = "1"; }, corrupt, "not an integer"},
      {[](Json& j) { j["model"]["vocab"]["ab"] = 301; }, corrupt, "two tokens have the id 301"},
      {[](Json& j) { j["model"]["vocab"]["a b"] = 310; }, corrupt, "byte-level"},
      {[](Json& j) { j["model"]["vocab"][""] = 310; }, corrupt, "byte-level"},
      {[](Json& j) { j["model"].erase("merges"); }, corrupt, "no list of merges"},
      {[](Json& j) { j["model"]["merges"][0] = "ab"; }, corrupt, "merge 0 is neither"},
      {[](Json& j) { j["model"]["merges"][0] = 5; }, corrupt, "merge 0 is neither"},
      {[](Json& j) {
         j["model"]["merges"][1] = {"a", "b", "c"};
       },
       corrupt, "merge 1 is neither"},
      {[](Json& j) {
         j["model"]["merges"][1] = {"a", 1};
       },
       corrupt, "merge 1 is neither"},
      {[](Json& j) {
         j["model"]["merges"][1] = {"xy", "c"};
       },
       corrupt, "not in the vocabulary"},
      {[](Json& j) { j["model"]["merges"][1] = "x y"; }, corrupt, "not in the vocabulary"},
      {[](Json& j) { j["model"]["merges"][1] = "a  b"; }, corrupt, "byte-level"},
      {[](Json& j) { j["model"]["merges"][1] = "a b"; }, corrupt, "two merges join"},
      {[](Json& j) { j["added_tokens"] = 1; }, corrupt, "added_tokens"},
      {[](Json& j) { j["added_tokens"][0] = 1; }, corrupt, "no content"},
      {[](Json& j) { j["added_tokens"][0]["content"] = ""; }, corrupt, "no content"},
      {[](Json& j) { j["added_tokens"][0]["id"] = 301; }, corrupt, "of another token"},
      {[](Json& j) { j["added_tokens"][1] = j["added_tokens"][0]; }, corrupt, "two added tokens"},
      {[](Json& j) { j["added_tokens"][0]["content"] = "<tool_call>"; }, corrupt, "the same bytes"},
      {[](Json& j) { j["added_tokens"][0].erase("id"); }, corrupt, "not an integer"},
  });
}

TEST(TokenizerJson, RefusesControlTokensThatTextCouldMake) {
  ExpectRefusals({
      {[](Json& j) {
         j["added_tokens"][0] = {{"id", 97}, {"content", "a"}};
       },
       ErrorCode::kCorruptData, "\"a\" is also a token that plain text makes"},
      {[](Json& j) {
         j["added_tokens"][0] = {{"id", 301}, {"content", "abc"}};
       },
       ErrorCode::kCorruptData, "\"abc\" is also a token that plain text makes"},
  });
}

TEST(TokenizerJson, RefusesWhatIsNotJsonBeforeItCosts) {
  EXPECT_THAT(ParseTokenizerJson("<html>").error().message, HasSubstr("not JSON"));
  EXPECT_THAT(ParseTokenizerJson("").error().message, HasSubstr("not JSON"));
  EXPECT_THAT(ParseTokenizerJson("{\"a\": \"\xFF\"}").error().message, HasSubstr("not JSON"));
  EXPECT_THAT(ParseTokenizerJson("{\"a\": 1e999}").error().message, HasSubstr("out of range"));
  EXPECT_THAT(ParseTokenizerJson(std::string(100000, '[')).error().message, HasSubstr("nests"));
  EXPECT_TRUE(ParseTokenizerJson("{\"a\": \"" + std::string(1000, '[') + "\\\"[\"}")
                  .error()
                  .message.find("nests") == std::string::npos);
  const Error error = ParseTokenizerJson(std::string(kMaxTokenizerJsonBytes + 1, ' ')).error();
  EXPECT_EQ(error.code, ErrorCode::kTooLarge);
}

TEST(TokenizerJson, MessagesQuoteOnlyTheStartOfLongTokensFitForATerminal) {
  Json json = testing::SmallTokenizerJson();
  json["model"]["vocab"]["中\x1b" + std::string(1000, 'a')] = 310;
  const std::string message = ParseTokenizerJson(json.dump()).error().message;
  EXPECT_LT(message.size(), 300u);
  EXPECT_THAT(message, HasSubstr("\"\\xe4\\xb8\\xad\\x1baaa"));
  EXPECT_THAT(message, HasSubstr("aaa...\""));
}

}  // namespace
}  // namespace ocelli
