#include "api/responses_request.h"

#include <string>

#include "api/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "text/prompt.h"

namespace ocelli::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<ResponsesRequest> Parse(std::string_view fields) {
  return ParseResponsesRequest("{\"input\": \"hi\"" + std::string(fields) + "}", TestDefaults());
}

std::string VerdictOf(std::string_view fields) { return Verdict(Parse(fields)); }

Result<ResponsesRequest> ParseInput(std::string_view input, std::string_view fields = "") {
  return ParseResponsesRequest("{\"input\": " + std::string(input) + std::string(fields) + "}",
                               TestDefaults());
}

std::string PromptOf(const ResponsesRequest& request) {
  return Render(
      ApplyChatTemplate(request.call.conversation.messages, request.call.chat_template).value());
}

TEST(ResponsesRequest, AStringIsAUsersMessage) {
  const auto request = Parse(R"(, "instructions": "Be brief.")");
  ASSERT_TRUE(request.ok()) << Verdict(request);
  EXPECT_EQ(PromptOf(*request),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_EQ(*request->instructions, "Be brief.");
}

TEST(ResponsesRequest, ItemsBecomeTheSameConversationAsInChat) {
  const auto request = ParseInput(R"([
      {"type": "message", "role": "developer", "content": "D"},
      {"role": "user", "content": [{"type": "input_image", "image_url": "data:x", "detail": "auto"},
                                   {"type": "input_text", "text": "q"}]},
      {"type": "reasoning", "id": "r", "summary": []},
      {"type": "message", "role": "assistant", "phase": "final_answer", "id": "m", "status": "completed",
       "content": [{"type": "output_text", "text": "A", "annotations": []}]},
      {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{\"a\":1}"},
      {"type": "function_call", "call_id": "2", "name": "g", "arguments": "{}"},
      {"type": "function_call_output", "call_id": "1", "output": "one"},
      {"type": "function_call_output", "call_id": "2",
       "output": [{"type": "input_text", "text": "two"}]}])");
  ASSERT_TRUE(request.ok()) << Verdict(request);
  EXPECT_EQ(PromptOf(*request),
            "<|im_start|>system\nD<|im_end|>\n"
            "<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>q<|im_end|>\n"
            "<|im_start|>assistant\nA\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}\n"
            "</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>"
            "<|im_end|>\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n"
            "<tool_response>\ntwo\n</tool_response><|im_end|>\n<|im_start|>assistant\n");
  ASSERT_EQ(request->call.conversation.pictures.size(), 1u);
  EXPECT_EQ(request->call.conversation.pictures[0].param, "input[1].content[0]");
}

TEST(ResponsesRequest, ReasoningBelongsToTheAssistantsItemAfterIt) {
  RequestDefaults defaults = TestDefaults();
  defaults.thinking = true;
  const auto request = ParseResponsesRequest(R"({"input": [
      {"role": "user", "content": "q"},
      {"type": "reasoning", "id": "rs_1", "summary": [],
       "content": [{"type": "reasoning_text", "text": "r"}, {"type": "other", "text": "x"},
                   {"type": "reasoning_text", "text": "1"}, 7]},
      {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
      {"type": "function_call_output", "call_id": "1", "output": "o"},
      {"type": "reasoning", "id": "rs_2", "encrypted_content": "?"},
      {"role": "assistant", "content": "A"},
      {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "nobody's"}]},
      {"type": "function_call_output", "call_id": "1", "output": "p"}]})",
                                             defaults);
  ASSERT_TRUE(request.ok()) << Verdict(request);
  EXPECT_EQ(PromptOf(*request),
            "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<think>\nr1\n</think>\n\n"
            "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call><|im_end|>\n"
            "<|im_start|>user\n<tool_response>\no\n</tool_response><|im_end|>\n"
            "<|im_start|>assistant\nA<|im_end|>\n"
            "<|im_start|>user\n<tool_response>\np\n</tool_response><|im_end|>\n"
            "<|im_start|>assistant\n<think>\n");
}

TEST(ResponsesRequest, ErrorsNameThePlaceInInput) {
  const auto verdict = [](std::string_view input, std::string_view fields = "") {
    return Verdict(ParseInput(input, fields));
  };
  EXPECT_THAT(Verdict(ParseResponsesRequest("{}", TestDefaults())),
              StartsWith("invalid_argument input | input is missing"));
  EXPECT_THAT(verdict("[]"), HasSubstr("the list is empty"));
  EXPECT_THAT(verdict("5"), StartsWith("invalid_argument input"));
  EXPECT_THAT(verdict("[5]"), StartsWith("invalid_argument input[0]"));
  EXPECT_THAT(verdict(R"([{"role": "robot", "content": "x"}])", R"(, "instructions": "I")"),
              StartsWith("invalid_argument input[0].role | input[0].role: "));
  EXPECT_THAT(
      verdict(
          R"([{"role": "user", "content": "x"}, {"role": "system", "content": [{"type": "input_image", "image_url": "data:x"}]}])",
          R"(, "instructions": "I")"),
      StartsWith("invalid_argument input[1].content[0] | "));
  EXPECT_THAT(verdict(R"([{"role": "user", "content": [{"type": "input_file"}]}])"),
              StartsWith("unsupported input[0].content[0] | "));
  EXPECT_THAT(
      verdict(R"([{"role": "user", "content": [{"type": "input_image", "file_id": "f"}]}])"),
      StartsWith("unsupported input[0].content[0] | input[0].content[0]: 'file_id' is not"));
  EXPECT_THAT(verdict(R"([{"type": "reasoning", "id": "r", "summary": []}])"),
              StartsWith("invalid_argument input | input: none of its items is a message"));
  EXPECT_THAT(verdict("\"" + std::string(300'000, 'x') + "\""), StartsWith("too_large input | "));
  EXPECT_THAT(verdict(R"([{"type": "item_reference", "id": "x"}])"),
              StartsWith("unsupported input[0] | "));
  EXPECT_THAT(verdict(R"([{"type": "function_call", "name": "f"}])"),
              StartsWith("invalid_argument input[0] | "));
  EXPECT_THAT(verdict(R"([{"type": "function_call_output"}])"),
              StartsWith("invalid_argument input[0] | "));
}

TEST(ResponsesRequest, ReadsSamplingAndLength) {
  const auto request =
      Parse(R"(, "max_output_tokens": 5000, "temperature": 0, "top_p": 0.5, "stream": true)");
  ASSERT_TRUE(request.ok()) << Verdict(request);
  EXPECT_EQ(request->call.params.max_new_tokens, 1000u);
  EXPECT_EQ(*request->max_output_tokens, 5000u);
  EXPECT_EQ(request->call.params.temperature, 0.0f);
  EXPECT_EQ(request->call.params.top_p, 0.5f);
  EXPECT_TRUE(request->call.stream);
  EXPECT_THAT(VerdictOf(R"(, "max_output_tokens": 0)"),
              StartsWith("invalid_argument max_output_tokens"));
}

TEST(ResponsesRequest, LogprobsComeWithTheIncludeOrTopLogprobs) {
  EXPECT_FALSE(Parse("")->call.params.logprobs);
  EXPECT_TRUE(Parse(R"(, "include": ["message.output_text.logprobs"])")->call.params.logprobs);
  const auto top = Parse(R"(, "top_logprobs": 3)");
  EXPECT_TRUE(top->call.params.logprobs);
  EXPECT_EQ(top->call.params.top_logprobs, 3u);
  EXPECT_FALSE(Parse(R"(, "include": ["reasoning.encrypted_content"])")->call.params.logprobs);
}

TEST(ResponsesRequest, RefusesWhatItDoesNotDoByName) {
  const std::pair<std::string, std::string> cases[] = {
      {"previous_response_id", "\"resp_1\""},
      {"conversation", "\"conv_1\""},
      {"prompt", "{\"id\": \"p\"}"},
      {"background", "true"},
      {"tools", "[{\"type\": \"web_search\"}]"},
      {"tool_choice", "\"required\""},
      {"include", "[\"something.new\"]"},
      {"n", "2"},
  };
  for (const auto& [name, value] : cases) {
    EXPECT_THAT(VerdictOf(", \"" + name + "\": " + value),
                StartsWith("unsupported " + name + " | "))
        << value;
  }
  EXPECT_THAT(VerdictOf(R"(, "text": {"format": {"type": "json_schema"}})"),
              StartsWith("unsupported text.format | "));
  EXPECT_THAT(VerdictOf(R"(, "truncation": "sometimes")"),
              StartsWith("invalid_argument truncation"));
  EXPECT_THAT(VerdictOf(R"(, "include": [5])"), StartsWith("invalid_argument include"));
  EXPECT_THAT(VerdictOf(R"(, "metadata": {"a": 5})"), StartsWith("invalid_argument metadata"));
  EXPECT_THAT(VerdictOf(R"(, "model": "gpt-5")"), StartsWith("not_found model"));
}

TEST(ResponsesRequest, WhatChangesNothingIsAccepted) {
  EXPECT_EQ(VerdictOf(R"(, "store": true, "truncation": "auto", "metadata": {"a": "b"},
        "reasoning": {"effort": "low", "summary": "auto"}, "text": {"format": {"type": "text"},
        "verbosity": "low"}, "service_tier": "auto", "parallel_tool_calls": false, "user": "u",
        "safety_identifier": "s", "prompt_cache_key": "k", "tools": [], "tool_choice": "auto",
        "background": false, "max_tool_calls": 5, "stream_options": {"include_obfuscation": true},
        "previous_response_id": null, "conversation": null, "prompt": null, "include": null)"),
            "ok");
}

}  // namespace
}  // namespace ocelli::api
