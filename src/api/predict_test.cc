#include "api/predict.h"

#include <cstddef>
#include <span>
#include <string>

#include "api/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/prompt.h"

namespace ocelli::api {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<GenerationCall> ParseBody(std::string_view body) {
  return ParsePredictRequest("application/json", body, TestDefaults());
}

// A form of `parts`: each "headers after form-data;" and content.
Result<GenerationCall> ParseForm(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string form;
  for (const auto& [header, content] : parts) {
    form += "--XX\r\nContent-Disposition: form-data; " + header + "\r\n\r\n" + content + "\r\n";
  }
  return ParsePredictRequest("multipart/form-data; boundary=XX", form + "--XX--", TestDefaults());
}

std::string PromptOf(const GenerationCall& call) {
  return Render(ApplyChatTemplate(call.conversation.messages, call.chat_template).value());
}

TEST(Predict, JsonBecomesOneTurnWithThePicturesFirst) {
  const auto call = ParseBody(R"({"question": "What?", "system": "S", "detail": "low",
      "pictures": ["data:a", {"url": "data:b", "detail": "high", "uuid": "u"}]})");
  ASSERT_TRUE(call.ok()) << Verdict(call);
  EXPECT_EQ(PromptOf(*call),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\n<|vision_start|><|image_pad|>"
            "<|vision_end|><|vision_start|><|image_pad|><|vision_end|>What?<|im_end|>\n"
            "<|im_start|>assistant\n");
  const auto& pictures = call->conversation.pictures;
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures[0].url, "data:a");
  EXPECT_EQ(pictures[0].detail, PictureReference::Detail::kLow);
  EXPECT_EQ(pictures[0].param, "pictures[0]");
  EXPECT_EQ(pictures[1].url, "data:b");
  EXPECT_EQ(pictures[1].detail, PictureReference::Detail::kHigh);
  EXPECT_EQ(pictures[1].uuid, "u");
}

TEST(Predict, APictureMayBeWrittenAsInAMessage) {
  const auto call = ParseBody(R"({"question": "q", "detail": "low", "pictures": [
      {"type": "image_url", "image_url": {"url": "data:a", "detail": "high"}},
      {"type": "input_image", "image_url": "data:b"}, {"image": "data:c", "url": "data:d"}]})");
  ASSERT_TRUE(call.ok()) << Verdict(call);
  const auto& pictures = call->conversation.pictures;
  ASSERT_EQ(pictures.size(), 3u);
  EXPECT_EQ(pictures[0].url, "data:a");
  EXPECT_EQ(pictures[0].detail, PictureReference::Detail::kHigh);
  EXPECT_EQ(pictures[1].url, "data:b");
  EXPECT_EQ(pictures[1].detail, PictureReference::Detail::kLow);
  EXPECT_EQ(pictures[2].url, "data:c");
}

TEST(Predict, AFormCarriesFilesAndFields) {
  const std::string png("\x89PNG\r\n\x00\xFF", 8);
  const auto call = ParseForm({{"name=\"picture\"; filename=\"a.png\"", png},
                               {"name=\"images[]\"", "data:b"},
                               {"name=\"file\"; filename=\"\"", ""},
                               {"name=\"question\"", "42"},
                               {"name=\"max_new_tokens\"", "7"},
                               {"name=\"loop_guard\"", "false"},
                               {"name=\"stop\"", "7"},
                               {"name=\"max_pixels\"", "4096"}});
  ASSERT_TRUE(call.ok()) << Verdict(call);
  ASSERT_EQ(call->conversation.pictures.size(), 2u);
  const auto bytes = std::as_bytes(std::span(png));
  EXPECT_THAT(call->conversation.pictures[0].bytes, ElementsAreArray(bytes.begin(), bytes.end()));
  EXPECT_EQ(call->conversation.pictures[0].url, "");
  EXPECT_EQ(call->conversation.pictures[0].max_pixels, 4096u);
  EXPECT_EQ(call->conversation.pictures[1].url, "data:b");
  EXPECT_TRUE(call->conversation.pictures[1].bytes.empty());
  EXPECT_EQ(call->conversation.messages[0].content[2].text, "42");
  EXPECT_EQ(call->params.max_new_tokens, 7u);
  EXPECT_FALSE(call->params.loop_guard);
  EXPECT_THAT(call->params.stop, ElementsAre("7"));
}

TEST(Predict, DefaultsAreThoseOfReadingAPage) {
  const auto call = ParseBody(R"({"question": "q", "image": "data:a"})");
  ASSERT_TRUE(call.ok()) << Verdict(call);
  EXPECT_EQ(call->params.temperature, 0.0f);
  EXPECT_EQ(call->params.presence_penalty, 0.0f);
  EXPECT_EQ(call->params.repetition_penalty, 1.0f);
  EXPECT_EQ(call->params.max_new_tokens, 1000u);  // kPredictMaxNewTokens, clipped to the context
  EXPECT_TRUE(call->params.loop_guard);
  EXPECT_FALSE(call->stream);
}

TEST(Predict, QuestionsWithoutAPictureAreAllowed) {
  EXPECT_EQ(Verdict(ParseBody(R"({"prompt": "hello", "pictures": []})")), "ok");
}

TEST(Predict, RefusalsNameTheField) {
  const auto verdict = [](std::string_view body) { return Verdict(ParseBody(body)); };
  EXPECT_THAT(verdict(R"({"image": "data:a"})"), StartsWith("invalid_argument question"));
  EXPECT_THAT(verdict(R"({"question": ""})"), StartsWith("invalid_argument question"));
  EXPECT_THAT(verdict(R"({"question": "a", "prompt": "b"})"),
              StartsWith("invalid_argument prompt"));
  EXPECT_THAT(verdict(R"({"question": "q", "image": 5})"),
              StartsWith("invalid_argument pictures[0]"));
  EXPECT_THAT(verdict(R"({"question": "q", "images": ["data:a", ""]})"),
              StartsWith("invalid_argument pictures[1]"));
  EXPECT_THAT(verdict(R"({"question": "q", "stream": true})"), StartsWith("unsupported stream"));
  EXPECT_THAT(verdict(R"({"question": "q", "n": 2})"), StartsWith("unsupported n"));
  EXPECT_THAT(verdict(R"({"question": "q", "logprobs": true})"),
              StartsWith("unsupported logprobs"));
  EXPECT_THAT(verdict(R"({"question": "q", "tools": [{}]})"), StartsWith("unsupported tools"));
  EXPECT_THAT(verdict(R"({"question": "q", "images": ["a", "a", "a", "a", "a"]})"),
              StartsWith("invalid_argument pictures[4] | the request has 5 pictures"));
  EXPECT_THAT(verdict(R"({"question": ")" + std::string(300'000, 'x') + "\"}"),
              StartsWith("too_large question | "));
  EXPECT_THAT(verdict("what?"), HasSubstr("not valid JSON"));
}

TEST(Predict, BrokenFormsAreRefused) {
  EXPECT_THAT(Verdict(ParseForm({{"name=question", "q"}, {"name=question", "r"}})),
              StartsWith("invalid_argument question | question stands in the form twice"));
  EXPECT_THAT(Verdict(ParseForm({{"name=question", "\xC4\xE3"}})),
              StartsWith("invalid_argument question | question is not UTF-8"));
  EXPECT_THAT(Verdict(ParseForm({{"name=question", "q"}, {"name=file; filename=a.png", ""}})),
              HasSubstr("the uploaded file of file is empty"));
  EXPECT_THAT(Verdict(ParseForm({{"name=question", "q"}, {"name=max_new_tokens", "many"}})),
              StartsWith("invalid_argument max_new_tokens"));
  EXPECT_THAT(Verdict(ParsePredictRequest("multipart/form-data; boundary=XX", "", TestDefaults())),
              StartsWith("invalid_argument body"));
}

}  // namespace
}  // namespace ocelli::api
