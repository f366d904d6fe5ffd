#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "server/test_client.h"
#include "server/test_server.h"

// Calls on their way through queue and engine, with clients that stay, leave or do not read.
namespace ocelli::server::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string ChatRequest(const std::string& body) {
  return RequestText("POST", "/v1/chat/completions", body, "");
}

TEST(Generation, AnswersWhole) {
  TestServer server;
  const HttpAnswer answer = server.Chat(ChatBody("hello", 5));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const json body = answer.Json();
  EXPECT_EQ(body["choices"][0]["message"]["content"], "aaaaa");
  EXPECT_EQ(body["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(body["usage"]["completion_tokens"], 5);
  EXPECT_EQ(body["model"], "test-model");
  EXPECT_EQ(body["system_fingerprint"], "fp_test");
}

TEST(Generation, StreamsWithTheHeadersThatProxiesNeed) {
  TestServer server;
  const HttpAnswer answer = server.Chat(ChatBody("hello", 5, true));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.Field("content-type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(answer.Field("cache-control"), "no-cache");
  EXPECT_EQ(answer.Field("x-accel-buffering"), "no");
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(CountOf(answer.body, R"("content":"a")"), 5u);
  EXPECT_TRUE(answer.body.ends_with("data: [DONE]\n\n"));
}

TEST(Generation, StreamsToHttp10UntilTheConnectionEnds) {
  TestServer server;
  RawClient client(server.port());
  const std::string body = ChatBody("hello", 3, true);
  client.Send(fmt::format("POST /v1/chat/completions HTTP/1.0\r\nContent-Length: {}\r\n\r\n{}",
                          body.size(), body));
  const HttpAnswer answer = client.ReadAnswer();
  EXPECT_EQ(answer.Field("transfer-encoding"), "");
  EXPECT_TRUE(answer.body.ends_with("data: [DONE]\n\n"));
}

TEST(Generation, TheFirstBytesOfAStreamComeBeforeAnyWorkAndPingsFollow) {
  TestServerOptions options;
  options.server.ping_interval = milliseconds(20);
  TestServer server(options);
  server.gate().Close();
  RawClient blocker(server.port());
  blocker.Send(ChatRequest(ChatBody("first", 5)));
  ASSERT_TRUE(server.gate().WaitForArrival());
  // The engine stands still, and yet:
  RawClient client(server.port());
  client.Send(ChatRequest(PictureChatBody(PictureUrl(), 3, true)));
  EXPECT_TRUE(client.ReadUntil("text/event-stream"));
  EXPECT_TRUE(client.ReadUntil(R"("role":"assistant")"));
  EXPECT_TRUE(client.ReadUntil(": ping"));
  EXPECT_EQ(Get(server.port(), "/health").status, 200);
  server.gate().Open();
  EXPECT_TRUE(client.ReadUntil("[DONE]"));
}

TEST(Generation, ErrorsBeforeAcceptanceAreStatusesInStreamsToo) {
  TestServer server;
  const HttpAnswer bad_json = server.Chat("{");
  EXPECT_EQ(bad_json.status, 400);
  const HttpAnswer bad_picture =
      server.Chat(PictureChatBody("data:image/png;base64,AAAA", 5, true));
  EXPECT_EQ(bad_picture.status, 400);
  EXPECT_EQ(bad_picture.Error("param"), "messages[0].content[0]");
  EXPECT_EQ(bad_picture.Field("x-should-retry"), "false");
  const HttpAnswer too_long = server.Chat(ChatBody(std::string(5000, 'x'), 5, true));
  EXPECT_EQ(too_long.status, 400) << too_long.body;
  EXPECT_EQ(too_long.Field("content-type"), "application/json");
  EXPECT_EQ(server.Chat(ChatBody("hello", 3)).status, 200);  // and life goes on
}

TEST(Generation, AFullQueueRefusesWithRetryAfterAndHealthStaysQuick) {
  TestServerOptions options;
  options.engine.max_queue = 4;
  options.engine.max_sequences = 1;
  TestServer server(options);
  server.gate().Close();
  std::vector<RawClient> clients;
  for (int i = 0; i < 40; ++i) {
    clients.emplace_back(server.port());
    clients.back().Send(ChatRequest(ChatBody("hello", 3)));
  }
  int refused = 0;
  for (size_t i = clients.size(); i > 0; --i) {  // the last are surely refused
    RawClient& client = clients[i - 1];
    if (!client.Sees("\r\n\r\n", i == clients.size() ? 5000 : 50)) continue;
    const HttpAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_GE(std::atoi(answer.Field("retry-after").c_str()), 1);
    ++refused;
  }
  EXPECT_GE(refused, 40 - 1 - 4 - 4);
  EXPECT_EQ(Get(server.port(), "/health").status, 200);
  server.gate().Open();
  EXPECT_TRUE(server.WaitFor([](const EngineStats& stats) {
    return stats.waiting_requests == 0 && stats.running_sequences == 0;
  }));
  EXPECT_EQ(server.Chat(ChatBody("hello", 3)).status, 200);
}

// A client that leaves in this phase is noticed, and costs nothing more.
class Leaving : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(StreamOrNot, Leaving, ::testing::Bool());

TEST_P(Leaving, InTheQueue) {
  TestServerOptions options;
  options.engine.max_sequences = 1;
  TestServer server(options);
  server.gate().Close();
  RawClient first(server.port());
  first.Send(ChatRequest(ChatBody("first", 20)));
  ASSERT_TRUE(server.gate().WaitForArrival());
  RawClient client(server.port());
  client.Send(ChatRequest(ChatBody("second", 100'000, GetParam())));
  ASSERT_TRUE(server.WaitFor([](const EngineStats& stats) { return stats.waiting_requests == 1; }));
  client.Close();
  server.gate().Open();
  EXPECT_TRUE(
      server.WaitFor([](const EngineStats& stats) { return stats.requests_cancelled == 1; }));
  EXPECT_EQ(first.ReadAnswer().status, 200);
}

TEST_P(Leaving, DuringPrefill) {
  TestServer server;
  server.gate().Close();
  RawClient client(server.port());
  client.Send(ChatRequest(ChatBody(std::string(2000, 'x'), 1000, GetParam())));
  ASSERT_TRUE(server.gate().WaitForArrival());
  client.Close();
  // The connection's end is seen while the engine works on one pass.
  std::this_thread::sleep_for(milliseconds(50));
  server.gate().Open();
  EXPECT_TRUE(
      server.WaitFor([](const EngineStats& stats) { return stats.requests_cancelled == 1; }));
  EXPECT_LT(server.engine().Stats().completion_tokens, 900u);
}

TEST_P(Leaving, DuringDecode) {
  TestServerOptions options;
  options.step = milliseconds(2);
  TestServer server(options);
  RawClient client(server.port());
  client.Send(ChatRequest(ChatBody("hello", 3000, GetParam())));
  ASSERT_TRUE(
      server.WaitFor([](const EngineStats& stats) { return stats.completion_tokens > 10; }));
  client.Reset();
  EXPECT_TRUE(
      server.WaitFor([](const EngineStats& stats) { return stats.requests_cancelled == 1; }));
  EXPECT_LT(server.engine().Stats().completion_tokens, 2000u);
}

TEST(Generation, AReaderThatStopsIsGivenUp) {
  TestServerOptions options;
  options.server.write_timeout = milliseconds(300);
  options.step = milliseconds(2);  // the answer would take much longer than to give the reader up
  TestServer server(options);
  RawClient client(server.port());
  client.SetReceiveBuffer(4096);
  // Enough text to fill every buffer on the way: 8 choices with logprobs.
  json body = json::parse(ChatBody("hello", 3500, true));
  body["logprobs"] = true;
  body["top_logprobs"] = 20;
  body["n"] = 8;
  client.Send(ChatRequest(body.dump()));
  EXPECT_TRUE(server.WaitFor([](const EngineStats& stats) {
    return stats.requests_cancelled == 1 || stats.requests_finished == 1;
  }));
  EXPECT_EQ(server.engine().Stats().requests_cancelled, 1u);
  EXPECT_EQ(server.Chat(ChatBody("hello", 3)).status, 200);
}

TEST(Generation, TokenizeRendersThePrompt) {
  TestServer server;
  const HttpAnswer text = Post(server.port(), "/v1/tokenize", R"({"prompt":"abc"})");
  ASSERT_EQ(text.status, 200) << text.body;
  EXPECT_EQ(text.Json()["tokens"], json::array({97, 98, 99}));
  const HttpAnswer chat = Post(server.port(), "/v1/tokenize", PictureChatBody(PictureUrl(), 1));
  ASSERT_EQ(chat.status, 200) << chat.body;
  EXPECT_NE(chat.body.find("<|image_pad|>"), std::string::npos);
  EXPECT_EQ(Post(server.port(), "/v1/tokenize", "[]").status, 400);
}

TEST(Generation, ATooLongPromptIsNamedByItsField) {
  TestServer server;
  const std::string text = "\"" + std::string(20'000, 'x') + "\"";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/v1/chat/completions", R"({"messages":[{"role":"user","content":)" + text + "}]}"},
      {"/v1/responses", "{\"input\":" + text + "}"},
      {"/predict", "{\"question\":" + text + "}"}};
  std::string params;
  for (const auto& [path, body] : cases) {
    const HttpAnswer answer = Post(server.port(), path, body);
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_EQ(answer.Error("code"), "context_length_exceeded") << answer.body;
    params += answer.Error("param") + " ";
  }
  EXPECT_EQ(params, "messages input question ");
}

TEST(Generation, FormsAreForPredictOnly) {
  TestServer server;
  const std::string head = "Content-Type: multipart/form-data; boundary=x\r\n";
  for (const char* path : {"/v1/chat/completions", "/v1/responses", "/v1/tokenize"}) {
    const HttpAnswer answer = Request(server.port(), "POST", path, "--x--\r\n", head);
    EXPECT_EQ(answer.status, 415) << path;
    EXPECT_EQ(answer.Error("code"), "unsupported_media_type");
  }
}

TEST(Generation, ListsItsModel) {
  TestServer server;
  const HttpAnswer list = Get(server.port(), "/v1/models");
  const json model = list.Json()["data"][0];
  EXPECT_EQ(model["id"], "test-model");
  EXPECT_EQ(model["default_sampling"]["max_tokens"], kDefaultMaxNewTokens);
  EXPECT_EQ(model["max_body_bytes"], size_t{64} << 20);
  EXPECT_EQ(model["pictures"]["min_pixels"], 32 * 32);
  EXPECT_EQ(model["pictures"]["max_file_bytes"], size_t{32} << 20);
  EXPECT_EQ(model["pictures"]["max_source_pixels"], DecodeLimits().max_pixels);
  EXPECT_EQ(model["pictures"]["max_pictures"], 64);
  EXPECT_EQ(Get(server.port(), "/v1/models/test-model").status, 200);
  EXPECT_EQ(Get(server.port(), "/v1/models/other").status, 404);
}

TEST(Generation, ResponsesAnswerWholeAndStreamed) {
  TestServer server;
  const HttpAnswer whole =
      Post(server.port(), "/v1/responses", R"({"input":"hello","max_output_tokens":16})");
  ASSERT_EQ(whole.status, 200) << whole.body;
  EXPECT_EQ(whole.Json()["object"], "response");
  const HttpAnswer stream = Post(server.port(), "/v1/responses",
                                 R"({"input":"hello","max_output_tokens":16,"stream":true})");
  EXPECT_NE(stream.body.find("event: response.created"), std::string::npos);
  EXPECT_NE(stream.body.find("event: response.incomplete"), std::string::npos);
}

TEST(Generation, ModelRoutesSay503UntilTheModelIsThere) {
  TestServerOptions options;
  options.set_service = false;
  TestServer server(options);
  server.server().SetLoading("loading weights", 0.25);
  EXPECT_EQ(Get(server.port(), "/health").status, 200);
  const HttpAnswer ready = Get(server.port(), "/ready");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.Json()["stage"], "loading weights");
  EXPECT_EQ(ready.Json()["progress"], 0.25);
  EXPECT_EQ(server.Chat(ChatBody("hi", 1)).status, 503);
  EXPECT_EQ(Get(server.port(), "/v1/models").status, 503);
  server.server().SetService(server.service());
  EXPECT_EQ(Get(server.port(), "/readyz").status, 200);
  EXPECT_EQ(server.Chat(ChatBody("hi", 1)).status, 200);
}

TEST(Generation, ReadySaysWhenTheEngineStandsStillWithWork) {
  TestServerOptions options;
  options.server.stuck_after = std::chrono::seconds(0);
  TestServer server(options);
  for (int round = 0; round < 2; ++round) {  // the second after a time without work
    server.gate().Close();
    RawClient client(server.port());
    client.Send(RequestText("POST", "/v1/chat/completions", ChatBody("hello", 5), ""));
    ASSERT_TRUE(server.gate().WaitForArrival());
    std::string ready;
    for (int i = 0; i < 3000 && ready.find("stuck") == std::string::npos; ++i) {
      ready = Get(server.port(), "/ready").body;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_NE(ready.find("stuck"), std::string::npos) << ready;
    server.gate().Open();
    EXPECT_EQ(client.ReadAnswer().status, 200);
    for (int i = 0; i < 3000 && ready.find("stuck") != std::string::npos; ++i) {
      ready = Get(server.port(), "/ready").body;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(ready.find("stuck"), std::string::npos) << ready;
  }
}

TEST(Generation, MetricsCountWhatHappened) {
  TestServer server;
  server.Chat(ChatBody("hello", 5));
  server.Chat("{");
  server.Chat(PictureChatBody(PictureUrl(), 3));
  const std::vector<std::string> lines = {
      R"(ocelli_http_requests_total{route="/v1/chat/completions",status="200"} 2)",
      R"(ocelli_http_requests_total{route="/v1/chat/completions",status="400"} 1)",
      "ocelli_completion_tokens_total 8",
      "ocelli_request_seconds_count 2",
      "ocelli_picture_decode_seconds_count 1",
      "ocelli_encode_seconds_count 1",
      "ocelli_time_to_first_token_seconds_count 2",
      "ocelli_pictures_encoded_total 1",
      "ocelli_kv_blocks "};
  // An answer may arrive a moment before it is counted.
  std::string text;
  std::string missing = "(not read)";
  for (int i = 0; i < 3000 && !missing.empty(); ++i) {
    text = Get(server.port(), "/metrics").body;
    missing.clear();
    for (const std::string& line : lines) {
      if (text.find(line) == std::string::npos) missing = line;
    }
    if (!missing.empty()) std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(missing, "") << text;
}

}  // namespace
}  // namespace ocelli::server::testing
