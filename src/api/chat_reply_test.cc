#include "api/chat_reply.h"

#include <limits>
#include <string>
#include <vector>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

ChatRequest RequestWith(std::string_view fields) {
  return ParseChatRequest(
             R"({"messages": [{"role": "user", "content": "hi"}])" + std::string(fields) + "}",
             TestDefaults())
      .value();
}

std::unique_ptr<Reply> ReplyTo(std::string_view fields) {
  return MakeChatReply(TestContext(), RequestWith(fields));
}

Usage TestUsage() {
  Usage usage;
  usage.prompt_tokens = 300;
  usage.image_tokens = 288;
  usage.cached_tokens = 5;
  usage.completion_tokens = 2;
  return usage;
}

TokenEvent Token(TokenId id, std::string text, size_t choice = 0) {
  TokenEvent event;
  event.choice = choice;
  event.token_id = id;
  event.text = std::move(text);
  return event;
}

ChoiceEvent End(FinishReason reason, std::string text = "", size_t choice = 0) {
  return {choice, reason, std::move(text), {}};
}

FinishedEvent Finished(FinishReason reason = FinishReason::kStop) {
  return {reason, {}, TestUsage(), {}};
}

std::string StreamAll(Reply& reply, const std::vector<Event>& events) {
  std::string stream = reply.Start();
  for (const Event& event : events) stream += reply.Stream(event);
  return stream;
}

TestJson WholeOf(Reply& reply, const std::vector<Event>& events) {
  for (const Event& event : events) reply.Collect(event);
  return MustParse(reply.Whole().value());
}

TEST(ChatReply, StreamsExactlyTheChunksOfOpenAi) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  const std::string base =
      R"({"id":"id-1","object":"chat.completion.chunk","created":1700000000,"model":"m",)"
      R"("system_fingerprint":"fp","choices":[{"index":0,"delta":)";
  EXPECT_EQ(reply->Start(), "data: " + base +
                                R"({"role":"assistant","content":"","refusal":null},)"
                                R"("logprobs":null,"finish_reason":null}]})"
                                "\n\n");
  EXPECT_EQ(reply->Stream(Token('a', "a")),
            "data: " + base +
                R"({"content":"a"},"logprobs":null,"finish_reason":null}]})"
                "\n\n");
  EXPECT_EQ(reply->Stream(Token('b', "")), "");
  EXPECT_EQ(reply->Stream(End(FinishReason::kStop, "z")),
            "data: " + base +
                R"({"content":"z"},"logprobs":null,"finish_reason":null}]})"
                "\n\n" +
                "data: " + base +
                R"({},"logprobs":null,"finish_reason":"stop"}]})"
                "\n\n");
  EXPECT_EQ(reply->Stream(Finished()), "data: [DONE]\n\n");
}

constexpr TokenId kThinkEnd = 281;

// What a Thinking model writes: "r", the end of its reasoning, "a".
std::vector<Event> ThoughtAnswer(FinishReason reason) {
  TokenEvent text = Token('a', "a");
  text.logprob = TokenLogprob{'a', -0.5f};
  FinishedEvent finished = Finished(reason);
  finished.usage.completion_tokens = 3;
  finished.usage.reasoning_tokens = 2;
  return {ReasoningToken('r', "r"), ReasoningToken(kThinkEnd, ""), text, End(reason), finished};
}

TEST(ChatReply, ReasoningStandsBesideTheContent) {
  const auto reply = ReplyTo(R"(, "logprobs": true)");
  const TestJson body = WholeOf(*reply, ThoughtAnswer(FinishReason::kStop));
  const TestJson& choice = body["choices"][0];
  EXPECT_EQ(choice["message"].dump(),
            R"({"role":"assistant","content":"a","refusal":null,"annotations":[],)"
            R"("reasoning_content":"r"})");
  ASSERT_EQ(choice["logprobs"]["content"].size(), 1u) << "they are those of the content";
  EXPECT_EQ(choice["logprobs"]["content"][0]["token"], "a");
  EXPECT_EQ(body["usage"]["completion_tokens"], 3);
  EXPECT_EQ(body["usage"]["completion_tokens_details"]["reasoning_tokens"], 2);
  EXPECT_EQ(body["usage"]["completion_tokens_details"]["text_tokens"], 1);
}

TEST(ChatReply, StreamsReasoningInDeltasOfItsOwn) {
  const auto reply = ReplyTo(R"(, "stream": true, "logprobs": true)");
  std::vector<std::string> deltas;
  for (const SseMessage& message : ReadSse(StreamAll(*reply, ThoughtAnswer(FinishReason::kStop)))) {
    if (message.data == "[DONE]") continue;
    deltas.push_back(MustParse(message.data)["choices"][0]["delta"].dump());
  }
  EXPECT_EQ(deltas,
            (std::vector<std::string>{R"({"role":"assistant","content":"","refusal":null})",
                                      R"({"reasoning_content":"r"})", R"({"content":"a"})", "{}"}));
}

TEST(ChatReply, AnAnswerCutInsideItsReasoningHasEmptyContent) {
  ChoiceEvent end = End(FinishReason::kLength);
  end.reasoning = "?";
  const std::vector<Event> events = {ReasoningToken('r', "r"), end, Finished()};
  const auto whole = ReplyTo(R"(, "logprobs": true)");
  const TestJson choice = WholeOf(*whole, events)["choices"][0];
  EXPECT_EQ(choice["message"]["content"], "");
  EXPECT_EQ(choice["message"]["reasoning_content"], "r?");
  EXPECT_EQ(choice["logprobs"]["content"], TestJson::array());
  EXPECT_EQ(choice["finish_reason"], "length");
  const auto stream = ReplyTo(R"(, "stream": true)");
  EXPECT_NE(StreamAll(*stream, events).find(R"({"reasoning_content":"?"})"), std::string::npos);
}

TEST(ChatReply, WholeAnswerHasEveryRequiredField) {
  const auto reply = ReplyTo("");
  const TestJson body =
      WholeOf(*reply, {QueuedEvent{1}, Token('a', "a"), Token('b', "b"),
                       End(FinishReason::kLength, "c"), Finished(FinishReason::kLength)});
  EXPECT_EQ(
      body.dump(),
      R"({"id":"id-1","object":"chat.completion","created":1700000000,"model":"m",)"
      R"("system_fingerprint":"fp","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"abc","refusal":null,"annotations":[]},"logprobs":null,)"
      R"("finish_reason":"length"}],"usage":{"prompt_tokens":300,"completion_tokens":2,)"
      R"("total_tokens":302,"prompt_tokens_details":{"cached_tokens":5,"cache_write_tokens":0,)"
      R"("image_tokens":288,"text_tokens":12,"audio_tokens":0,"pictures":[{"original_size":)"
      R"({"width":800,"height":400},"used_size":{"width":768,"height":384},)"
      R"("image_tokens":288}]},"completion_tokens_details":{"reasoning_tokens":0,)"
      R"("text_tokens":2,"audio_tokens":0,"accepted_prediction_tokens":0,)"
      R"("rejected_prediction_tokens":0}}})");
}

TEST(ChatReply, UsageComesInOneLastChunkOnlyWhenAskedFor) {
  const std::vector<Event> events = {Token('a', "a"), End(FinishReason::kStop), Finished()};
  const auto with = ReplyTo(R"(, "stream": true, "stream_options": {"include_usage": true})");
  const auto messages = ReadSse(StreamAll(*with, events));
  ASSERT_EQ(messages.size(), 5u);
  for (size_t i = 0; i < 3; ++i) {
    const TestJson chunk = MustParse(messages[i].data);
    EXPECT_TRUE(chunk.contains("usage"));
    EXPECT_EQ(chunk["usage"], nullptr);
    EXPECT_EQ(chunk["choices"].size(), 1u);
  }
  const TestJson last = MustParse(messages[3].data);
  EXPECT_TRUE(last["choices"].is_array());
  EXPECT_TRUE(last["choices"].empty());
  EXPECT_EQ(last["usage"]["prompt_tokens_details"]["image_tokens"], 288);
  EXPECT_EQ(messages[4].data, "[DONE]");

  const auto without = ReplyTo(R"(, "stream": true)");
  for (const SseMessage& message : ReadSse(StreamAll(*without, events))) {
    EXPECT_EQ(message.data.find("usage"), std::string::npos);
    EXPECT_EQ(message.data.find("\"choices\":[]"), std::string::npos);
  }
}

TEST(ChatReply, EveryChoiceHasItsIndexAndItsEnd) {
  const std::vector<Event> events = {Token('a', "a", 1),
                                     Token('b', "b", 0),
                                     End(FinishReason::kStop, "", 1),
                                     Token('c', "c", 0),
                                     End(FinishReason::kLength, "", 0),
                                     Finished()};
  const auto streamed = ReplyTo(R"(, "n": 2, "stream": true)");
  std::string text[2];
  std::string reason[2];
  size_t roles = 0;
  for (const SseMessage& message : ReadSse(StreamAll(*streamed, events))) {
    if (message.data == "[DONE]") continue;
    const TestJson choice = MustParse(message.data)["choices"][0];
    const auto index = choice["index"].get<size_t>();
    if (choice["delta"].contains("content")) text[index] += choice["delta"]["content"];
    if (choice["delta"].contains("role")) ++roles;
    if (!choice["finish_reason"].is_null()) reason[index] = choice["finish_reason"];
  }
  EXPECT_EQ(roles, 2u);
  EXPECT_EQ(text[0], "bc");
  EXPECT_EQ(text[1], "a");
  EXPECT_EQ(reason[0], "length");
  EXPECT_EQ(reason[1], "stop");

  const auto whole = ReplyTo(R"(, "n": 2)");
  const TestJson body = WholeOf(*whole, events);
  ASSERT_EQ(body["choices"].size(), 2u);
  EXPECT_EQ(body["choices"][0]["message"]["content"], "bc");
  EXPECT_EQ(body["choices"][1]["index"], 1);
  EXPECT_EQ(body["choices"][1]["message"]["content"], "a");
}

TEST(ChatReply, OtherEndsMapToStandardReasonsWithDetails) {
  ChoiceEvent loop = End(FinishReason::kLoop);
  loop.loop_start_token = 17;
  const auto looped = ReplyTo("");
  const TestJson body = WholeOf(*looped, {loop, Finished(FinishReason::kLoop)});
  EXPECT_EQ(body["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(body["choices"][0]["finish_details"].dump(),
            R"({"reason":"loop","loop_start_token":17})");

  const auto late = ReplyTo(R"(, "stream": true)");
  const auto messages =
      ReadSse(StreamAll(*late, {End(FinishReason::kDeadline), Finished(FinishReason::kDeadline)}));
  const TestJson choice = MustParse(messages[1].data)["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_EQ(choice["finish_details"].dump(), R"({"reason":"deadline"})");
  EXPECT_EQ(messages.back().data, "[DONE]");
}

TEST(ChatReply, ProgressIsAComment) {
  const auto reply = ReplyTo(R"(, "stream": true)");
  const std::string stream =
      StreamAll(*reply, {QueuedEvent{3}, EncodingEvent{0, 2, 5, 24}, PrefillEvent{128, 300}});
  const auto messages = ReadSse(stream);
  ASSERT_EQ(messages.size(), 4u);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(messages[i].data, "");
  EXPECT_EQ(messages[1].comment, R"({"ocelli_progress":{"phase":"queue","position":3}})");
  EXPECT_EQ(messages[2].comment,
            R"({"ocelli_progress":{"phase":"encode","picture":1,"pictures":2,"layer":5,)"
            R"("layers":24}})");
  EXPECT_EQ(messages[3].comment,
            R"({"ocelli_progress":{"phase":"prefill","done_tokens":128,"total_tokens":300}})");
}

TEST(ChatReply, ProgressIsAChunkWithoutChoicesWhenAskedFor) {
  const auto reply = ReplyTo(R"(, "stream": true, "stream_options": {"include_progress": true})");
  const auto messages = ReadSse(reply->Stream(PrefillEvent{128, 300}));
  ASSERT_EQ(messages.size(), 1u);
  const TestJson chunk = MustParse(messages[0].data);
  EXPECT_EQ(chunk["object"], "chat.completion.chunk");
  EXPECT_TRUE(chunk["choices"].is_array());
  EXPECT_TRUE(chunk["choices"].empty());
  EXPECT_EQ(chunk["ocelli_progress"]["done_tokens"], 128);
}

TEST(ChatReply, LogprobsHaveBytesAndLeaveOutWhatWritesNothing) {
  TokenEvent half = Token(0xE4, "");
  half.logprob = TokenLogprob{0xE4, -0.7f};
  half.top_logprobs = {{0xE4, -0.7f}, {'"', -std::numeric_limits<float>::infinity()}};
  TokenEvent end = Token(*TestTokenizer()->ControlToken("<|im_end|>"), "");
  end.logprob = TokenLogprob{end.token_id, -0.1f};
  const std::string expected =
      "{\"content\":[{\"token\":\"\xEF\xBF\xBD\",\"logprob\":-0.7,\"bytes\":[228],"
      "\"top_logprobs\":[{\"token\":\"\xEF\xBF\xBD\",\"logprob\":-0.7,\"bytes\":[228]},"
      "{\"token\":\"\\\"\",\"logprob\":-9999.0,\"bytes\":[34]}]}],\"refusal\":null}";

  const auto whole = ReplyTo(R"(, "logprobs": true, "top_logprobs": 2)");
  const TestJson body = WholeOf(*whole, {half, end, End(FinishReason::kStop), Finished()});
  EXPECT_EQ(body["choices"][0]["logprobs"].dump(), expected);

  const auto streamed = ReplyTo(R"(, "logprobs": true, "top_logprobs": 2, "stream": true)");
  const auto messages = ReadSse(streamed->Stream(half));
  const TestJson choice = MustParse(messages[0].data)["choices"][0];
  EXPECT_EQ(choice["logprobs"].dump(), expected);
  EXPECT_EQ(choice["delta"]["content"], "");
  EXPECT_EQ(streamed->Stream(end), "");
}

TEST(ChatReply, AFailureIsAnErrorEventWithoutDone) {
  FinishedEvent failed = Finished(FinishReason::kError);
  failed.error = Error{ErrorCode::kInternal, "a logit is not finite", ""};
  const std::vector<Event> events = {Token('a', "a"), End(FinishReason::kError), failed};
  const auto streamed = ReplyTo(R"(, "stream": true)");
  const auto messages = ReadSse(StreamAll(*streamed, events));
  EXPECT_EQ(messages.back().data,
            R"({"error":{"message":"a logit is not finite","type":"server_error","param":null,)"
            R"("code":"internal_error"}})");
  for (const SseMessage& message : messages) {
    EXPECT_EQ(message.data.find("[DONE]"), std::string::npos);
    EXPECT_EQ(message.data.find("\"stop\""), std::string::npos);
  }
  const auto whole = ReplyTo("");
  for (const Event& event : events) whole->Collect(event);
  EXPECT_EQ(Verdict(whole->Whole()), "internal  | a logit is not finite");
}

TEST(ChatReply, CancelledAndUnfinishedRequestsHaveNoAnswer) {
  const auto reply = ReplyTo("");
  EXPECT_EQ(reply->Whole().error().code, ErrorCode::kInternal);
  reply->Collect(Finished(FinishReason::kCancelled));
  EXPECT_EQ(reply->Whole().error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace ocelli::api
