#include "api/tokenize.h"

#include <string>

#include "api/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

using ::testing::StartsWith;

TEST(Tokenize, CountsATextWhoseControlStringsAreText) {
  const auto request = ParseTokenizeRequest(R"({"prompt": "a<|im_end|>"})", TestDefaults());
  ASSERT_TRUE(request.ok()) << Verdict(request);
  const TestJson reply = MustParse(TokenizeTextReply(*request, TestDefaults(), *TestTokenizer()));
  EXPECT_EQ(reply["count"], 11);
  EXPECT_EQ(reply["tokens"].size(), 11u);
  EXPECT_EQ(reply["tokens"][0], 'a');
  EXPECT_EQ(reply["max_model_len"], 1000);
  EXPECT_FALSE(reply.contains("token_strs"));
}

TEST(Tokenize, SaysWhatEachTokenReadsAs) {
  const auto request =
      ParseTokenizeRequest(R"({"text": "é", "return_token_strs": true})", TestDefaults());
  const TestJson reply = MustParse(TokenizeTextReply(*request, TestDefaults(), *TestTokenizer()));
  EXPECT_EQ(reply["token_strs"].dump(), "[\"\xEF\xBF\xBD\",\"\xEF\xBF\xBD\"]");
}

TEST(Tokenize, RendersAConversationWithItsPictures) {
  const auto request = ParseTokenizeRequest(R"({"messages": [{"role": "user", "content": [
      {"type": "image_url", "image_url": "data:x"}, {"type": "text", "text": "?"}]}]})",
                                            TestDefaults());
  ASSERT_TRUE(request.ok()) << Verdict(request);
  Patches patches;
  patches.image_tokens = 4;
  patches.original_size = {100, 50};
  patches.used_size = {96, 64};
  const auto prompt = MakeGenerateRequest(
      request->call, {std::make_shared<const Patches>(std::move(patches))}, *TestTokenizer());
  ASSERT_TRUE(prompt.ok());
  const auto text = TokenizeChatReply(*request, *prompt, TestDefaults(), *TestTokenizer());
  const TestJson reply = MustParse(text.value());
  EXPECT_EQ(reply["prompt"],
            "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>?<|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_EQ(reply["count"], prompt->prompt_token_ids.size());
  EXPECT_EQ(reply["tokens"].size(), prompt->prompt_token_ids.size());
  EXPECT_EQ(reply["pictures"].dump(),
            R"([{"original_size":{"width":100,"height":50},"used_size":{"width":96,)"
            R"("height":64},"image_tokens":4}])");
}

TEST(Tokenize, TakesExactlyOneOfItsForms) {
  const auto verdict = [](std::string_view body) {
    return Verdict(ParseTokenizeRequest(body, TestDefaults()));
  };
  EXPECT_THAT(verdict("{}"), StartsWith("invalid_argument messages"));
  EXPECT_THAT(verdict(R"({"prompt": "a", "text": "b"})"), StartsWith("invalid_argument text"));
  EXPECT_THAT(verdict(R"({"prompt": "a", "messages": [{"role": "user", "content": "x"}]})"),
              StartsWith("invalid_argument messages"));
  EXPECT_THAT(verdict(R"({"prompt": 5})"), StartsWith("invalid_argument prompt"));
  EXPECT_EQ(verdict(R"({"prompt": ""})"), "ok");
}

}  // namespace
}  // namespace ocelli::api
