#include "api/responses_reply.h"

#include <map>
#include <string>
#include <vector>

#include "api/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

using ::testing::ElementsAre;

std::unique_ptr<Reply> ReplyTo(std::string_view fields) {
  return MakeResponsesReply(
      TestContext(),
      ParseResponsesRequest("{\"input\": \"hi\"" + std::string(fields) + "}", TestDefaults())
          .value());
}

TokenEvent Token(TokenId id, std::string text) {
  TokenEvent event;
  event.token_id = id;
  event.text = std::move(text);
  return event;
}

std::vector<Event> Answer(FinishReason reason) {
  FinishedEvent finished;
  finished.reason = reason;
  finished.usage.prompt_tokens = 300;
  finished.usage.image_tokens = 288;
  finished.usage.completion_tokens = 2;
  finished.times.total = 2.5;
  return {QueuedEvent{0}, Token('a', "a"), Token('b', ""), ChoiceEvent{0, reason, "b", {}},
          finished};
}

// The events of a stream, each checked for what all have in common.
std::vector<TestJson> EventsOf(Reply& reply, const std::vector<Event>& events) {
  std::string stream = reply.Start();
  for (const Event& event : events) stream += reply.Stream(event);
  std::vector<TestJson> parsed;
  for (const SseMessage& message : ReadSse(stream)) {
    if (message.data.empty()) continue;
    parsed.push_back(MustParse(message.data));
    EXPECT_EQ(parsed.back()["type"], message.name);
    EXPECT_EQ(parsed.back()["sequence_number"], parsed.size() - 1);
  }
  return parsed;
}

std::vector<std::string> TypesOf(const std::vector<TestJson>& events) {
  std::vector<std::string> types;
  for (const TestJson& event : events) types.push_back(event["type"]);
  return types;
}

TEST(ResponsesReply, StreamsEveryEventInOrder) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  const auto events = EventsOf(*reply, Answer(FinishReason::kStop));
  EXPECT_THAT(
      TypesOf(events),
      ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                  "response.content_part.added", "response.output_text.delta",
                  "response.output_text.delta", "response.output_text.done",
                  "response.content_part.done", "response.output_item.done", "response.completed"));
  EXPECT_EQ(events[0]["response"]["status"], "in_progress");
  EXPECT_EQ(events[0]["response"]["output"], TestJson::array());
  EXPECT_EQ(events[0]["response"]["usage"], nullptr);
  const std::string item_id = events[2]["item"]["id"];
  EXPECT_EQ(item_id.substr(0, 4), "msg_");
  EXPECT_EQ(events[2]["item"]["status"], "in_progress");
  EXPECT_EQ(events[2]["item"]["content"], TestJson::array());
  for (const size_t i : {3, 4, 5, 6, 7}) {
    EXPECT_EQ(events[i]["item_id"], item_id);
    EXPECT_EQ(events[i]["output_index"], 0);
    EXPECT_EQ(events[i]["content_index"], 0);
  }
  EXPECT_EQ(events[4]["delta"], "a");
  EXPECT_EQ(events[4]["logprobs"], TestJson::array());
  EXPECT_EQ(events[6]["text"], "ab");
  EXPECT_EQ(events[7]["part"].dump(),
            R"({"type":"output_text","text":"ab","annotations":[],"logprobs":[]})");
  EXPECT_EQ(events[8]["output_index"], 0);
  EXPECT_EQ(events[8]["item"]["status"], "completed");
  const TestJson& response = events[9]["response"];
  EXPECT_EQ(response["status"], "completed");
  EXPECT_EQ(response["completed_at"], 1'700'000'003);
  EXPECT_EQ(response["output"][0], events[8]["item"]);
  EXPECT_EQ(response["usage"]["input_tokens_details"]["cached_tokens"], 0);
}

TEST(ResponsesReply, WholeResponseHasEveryRequiredField) {
  const auto reply = ReplyTo(
      R"(, "metadata": {"k": "v"}, "instructions": "I", "max_output_tokens": 9, "store": true,
         "reasoning": {"effort": "low"}, "user": "u")");
  for (const Event& event : Answer(FinishReason::kStop)) reply->Collect(event);
  const TestJson response = MustParse(reply->Whole().value());
  for (const char* key : {"id",
                          "object",
                          "created_at",
                          "completed_at",
                          "status",
                          "incomplete_details",
                          "model",
                          "previous_response_id",
                          "instructions",
                          "output",
                          "error",
                          "tools",
                          "tool_choice",
                          "truncation",
                          "parallel_tool_calls",
                          "text",
                          "top_p",
                          "presence_penalty",
                          "frequency_penalty",
                          "top_logprobs",
                          "temperature",
                          "reasoning",
                          "usage",
                          "max_output_tokens",
                          "max_tool_calls",
                          "store",
                          "background",
                          "service_tier",
                          "metadata",
                          "safety_identifier",
                          "prompt_cache_key"}) {
    EXPECT_TRUE(response.contains(key)) << key;
  }
  EXPECT_EQ(response["object"], "response");
  EXPECT_EQ(response["created_at"], 1'700'000'000);
  EXPECT_EQ(response["status"], "completed");
  EXPECT_EQ(response["metadata"].dump(), R"({"k":"v"})");
  EXPECT_EQ(response["instructions"], "I");
  EXPECT_EQ(response["max_output_tokens"], 9);
  EXPECT_EQ(response["reasoning"].dump(), R"({"effort":"low","summary":null})");
  EXPECT_EQ(response["store"], false);
  EXPECT_EQ(response["temperature"].dump(), "0.7");
  EXPECT_EQ(response["output"][0]["content"][0]["text"], "ab");
  EXPECT_EQ(response["output"][0]["role"], "assistant");
  EXPECT_EQ(response["usage"]["input_tokens"], 300);
  EXPECT_EQ(response["usage"]["output_tokens"], 2);
  EXPECT_EQ(response["usage"]["total_tokens"], 302);
  EXPECT_EQ(response["usage"]["output_tokens_details"]["reasoning_tokens"], 0);
  EXPECT_EQ(response["usage"]["input_tokens_details"]["pictures"].size(), 1u);
}

TEST(ResponsesReply, AnAnswerCutShortIsIncomplete) {
  for (const FinishReason reason : {FinishReason::kLength, FinishReason::kDeadline}) {
    const auto reply = ReplyTo(R"(, "stream": true)");
    const auto events = EventsOf(*reply, Answer(reason));
    EXPECT_EQ(events.back()["type"], "response.incomplete");
    const TestJson& response = events.back()["response"];
    EXPECT_EQ(response["status"], "incomplete");
    EXPECT_EQ(response["incomplete_details"].dump(), R"({"reason":"max_output_tokens"})");
    EXPECT_EQ(response["completed_at"], nullptr);
    EXPECT_EQ(response["output"][0]["status"], "incomplete");
    EXPECT_EQ(response.contains("finish_details"), reason == FinishReason::kDeadline);
  }
}

TEST(ResponsesReply, AFailureEndsTheStreamWithResponseFailed) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  FinishedEvent failed;
  failed.reason = FinishReason::kError;
  failed.error = Error{ErrorCode::kInternal, "a logit is not finite", ""};
  const auto events =
      EventsOf(*reply, {Token('a', "a"), ChoiceEvent{0, FinishReason::kError, "", {}}, failed});
  EXPECT_EQ(events.back()["type"], "response.failed");
  EXPECT_FALSE(events.back().contains("error"));
  const TestJson& response = events.back()["response"];
  EXPECT_EQ(response["status"], "failed");
  EXPECT_EQ(response["error"].dump(),
            R"({"code":"server_error","message":"a logit is not finite"})");
  EXPECT_EQ(response["output"], TestJson::array());
  EXPECT_EQ(response["usage"], nullptr);

  const auto whole = ReplyTo("");
  whole->Collect(failed);
  EXPECT_EQ(whole->Whole().error().message, "a logit is not finite");
}

TEST(ResponsesReply, AFailureHasACodeOfOpenAisList) {
  const auto code = [](const Error& error) {
    const auto reply = ReplyTo(R"(, "stream": true)");
    std::string stream = reply->Start();
    const auto messages = ReadSse(stream += reply->Fail(error));
    EXPECT_EQ(messages.size(), 3u);
    return MustParse(messages.back().data)["response"]["error"]["code"].get<std::string>();
  };
  EXPECT_EQ(code({ErrorCode::kResourceExhausted, "full", ""}), "server_error");
  EXPECT_EQ(code({ErrorCode::kCorruptData, "cut", "input[0].content[0]"}), "invalid_image");
  EXPECT_EQ(code({ErrorCode::kTooLarge, "long", "prompt"}), "invalid_prompt");
}

TEST(ResponsesReply, LogprobsStandInDeltasAndInTheText) {
  const auto reply = ReplyTo(R"(, "stream": true, "top_logprobs": 1)");
  TokenEvent token = Token('a', "a");
  token.logprob = TokenLogprob{'a', -0.5f};
  token.top_logprobs = {{'a', -0.5f}};
  auto answer = Answer(FinishReason::kStop);
  answer[1] = token;
  const auto events = EventsOf(*reply, answer);
  const std::string expected = R"([{"token":"a","logprob":-0.5,"bytes":[97],)"
                               R"("top_logprobs":[{"token":"a","logprob":-0.5,"bytes":[97]}]}])";
  EXPECT_EQ(events[4]["logprobs"].dump(), expected);
  EXPECT_EQ(events[5]["logprobs"].dump(), "[]");
  EXPECT_EQ(events[6]["logprobs"].dump(), expected);
  EXPECT_EQ(events.back()["response"]["output"][0]["content"][0]["logprobs"].dump(), expected);
}

TEST(ResponsesReply, AnEmptyAnswerStillHasItsItem) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  const auto events = EventsOf(
      *reply, {ChoiceEvent{0, FinishReason::kStop, "", {}}, Answer(FinishReason::kStop).back()});
  EXPECT_THAT(
      TypesOf(events),
      ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                  "response.content_part.added", "response.output_text.done",
                  "response.content_part.done", "response.output_item.done", "response.completed"));
}

std::vector<Event> ThoughtAnswer(FinishReason reason) {
  std::vector<Event> events = Answer(reason);
  events[0] = ReasoningToken('r', "r");
  events.insert(events.begin() + 1, ReasoningToken(281, ""));
  return events;
}

TEST(ResponsesReply, ReasoningIsAnItemBeforeTheMessage) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  const auto events = EventsOf(*reply, ThoughtAnswer(FinishReason::kStop));
  EXPECT_THAT(
      TypesOf(events),
      ElementsAre("response.created", "response.in_progress", "response.output_item.added",
                  "response.content_part.added", "response.reasoning_text.delta",
                  "response.reasoning_text.done", "response.content_part.done",
                  "response.output_item.done", "response.output_item.added",
                  "response.content_part.added", "response.output_text.delta",
                  "response.output_text.delta", "response.output_text.done",
                  "response.content_part.done", "response.output_item.done", "response.completed"));
  const std::string id = events[2]["item"]["id"];
  EXPECT_EQ(id.substr(0, 3), "rs_");
  for (const size_t i : {3, 4, 5, 6}) {
    EXPECT_EQ(events[i]["item_id"], id);
    EXPECT_EQ(events[i]["output_index"], 0);
    EXPECT_EQ(events[i]["content_index"], 0);
  }
  EXPECT_EQ(events[4]["delta"], "r");
  EXPECT_EQ(events[5]["text"], "r");
  EXPECT_EQ(events[7]["item"].dump(),
            R"({"id":")" + id +
                R"(","type":"reasoning","status":"completed","summary":[],)"
                R"("content":[{"type":"reasoning_text","text":"r"}]})");
  for (const size_t i : {8, 9, 10, 11, 12, 13, 14}) EXPECT_EQ(events[i]["output_index"], 1);
  const TestJson& output = events[15]["response"]["output"];
  ASSERT_EQ(output.size(), 2u);
  EXPECT_EQ(output[0], events[7]["item"]);
  EXPECT_EQ(output[1], events[14]["item"]);
}

TEST(ResponsesReply, AnAnswerCutInsideItsReasoningHasNoMessage) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  const Event end = ChoiceEvent{0, FinishReason::kLength, "", {}, "?"};
  const auto events = EventsOf(
      *reply, {ReasoningToken('r', "r"), end, ThoughtAnswer(FinishReason::kLength).back()});
  EXPECT_EQ(events.back()["type"], "response.incomplete");
  const TestJson& output = events.back()["response"]["output"];
  ASSERT_EQ(output.size(), 1u);
  EXPECT_EQ(output[0]["status"], "incomplete");
  EXPECT_EQ(output[0]["content"][0]["text"], "r?");
  EXPECT_EQ(events[events.size() - 2]["item"], output[0]);
}

TEST(ResponsesReply, LogprobsOfAThoughtAnswerAreThoseOfItsText) {
  const auto reply = ReplyTo(R"(, "stream": true, "top_logprobs": 1)");
  std::vector<Event> answer = ThoughtAnswer(FinishReason::kStop);
  TokenEvent half = Token(0xE7, "");  // a part of a character: no text yet
  half.logprob = TokenLogprob{0xE7, -0.5f};
  answer[2] = half;
  size_t entries = 0;
  for (const TestJson& event : EventsOf(*reply, answer)) {
    if (event["type"] == "response.output_text.delta") entries += event["logprobs"].size();
    if (event["type"] == "response.output_text.done") {
      EXPECT_EQ(event["logprobs"].size(), 1u);
    }
  }
  EXPECT_EQ(entries, 1u);
}

TEST(ResponsesReply, ProgressIsAComment) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  EXPECT_EQ(reply->Stream(PrefillEvent{1, 2}),
            ": {\"ocelli_progress\":{\"phase\":\"prefill\",\"done_tokens\":1,\"total_tokens\":2}}"
            "\n\n");
}

}  // namespace
}  // namespace ocelli::api
