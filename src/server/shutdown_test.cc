#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "server/test_client.h"
#include "server/test_server.h"

namespace ocelli::server::testing {
namespace {

using std::chrono::milliseconds;

std::string ChatRequest(const std::string& body) {
  return RequestText("POST", "/v1/chat/completions", body, "");
}

TEST(Shutdown, DrainLetsRunningAnswersEnd) {
  TestServer server;
  server.gate().Close();
  RawClient whole(server.port());
  whole.Send(ChatRequest(ChatBody("hello", 5)));
  RawClient stream(server.port());
  stream.Send(ChatRequest(ChatBody("hello", 5, true)));
  RawClient idle(server.port());
  idle.Send(RequestText("GET", "/health", "", ""));
  EXPECT_EQ(idle.ReadAnswer().status, 200);
  ASSERT_TRUE(stream.ReadUntil("text/event-stream"));
  std::thread drain([&] { server.server().Drain(); });
  EXPECT_TRUE(idle.WaitForClose());  // an idle connection ends at once
  // Meanwhile probes and new clients are told.
  HttpAnswer ready = Get(server.port(), "/ready");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.Json()["status"], "draining");
  EXPECT_EQ(Get(server.port(), "/health").status, 200);
  const HttpAnswer refused = server.Chat(ChatBody("late", 5));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.Field("connection"), "close");
  server.gate().Open();
  const HttpAnswer answer = whole.ReadAnswer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Json()["choices"][0]["message"]["content"], "aaaaa");
  EXPECT_TRUE(stream.ReadUntil("[DONE]"));
  drain.join();
  RawClient late(server.port());
  EXPECT_FALSE(late.Send("GET / HTTP/1.1\r\n\r\n") && late.ReadAnswer().status != 0);
}

TEST(Shutdown, DrainCancelsWhatTakesTooLong) {
  TestServerOptions options;
  options.server.drain_timeout = milliseconds(100);
  options.step = milliseconds(2);
  TestServer server(options);
  RawClient stream(server.port());
  stream.Send(ChatRequest(ChatBody("hello", 3900, true)));
  ASSERT_TRUE(stream.ReadUntil(R"("content":"a")"));
  server.server().Drain();
  EXPECT_EQ(server.engine().Stats().requests_cancelled, 1u);
  EXPECT_TRUE(stream.WaitForClose());
  EXPECT_NE(stream.received().find("\"error\""), std::string::npos);
  EXPECT_EQ(stream.received().find("[DONE]"), std::string::npos);
}

TEST(Shutdown, StoppingWhileTheEngineStandsStillDoesNotWaitForIt) {
  TestServer server;
  server.gate().Close();
  RawClient client(server.port());
  client.Send(ChatRequest(ChatBody("hello", 5)));
  ASSERT_TRUE(server.gate().WaitForArrival());
  server.StopServer();
  EXPECT_TRUE(client.WaitForClose());
  server.gate().Open();  // the engine finishes for nobody
  EXPECT_TRUE(
      server.WaitFor([](const EngineStats& stats) { return stats.running_sequences == 0; }));
}

TEST(Shutdown, StoppingInTheMiddleOfEverythingIsClean) {
  for (int round = 0; round < 5; ++round) {
    TestServerOptions options;
    options.step = milliseconds(1);
    TestServer server(options);
    std::vector<RawClient> clients;
    for (int i = 0; i < 12; ++i) {
      clients.emplace_back(server.port());
      const std::string text =
          ChatRequest(PictureChatBody(PictureUrl(static_cast<uint8_t>(i)), 200, i % 2 == 0));
      clients.back().Send(i % 3 == 0 ? text.substr(0, text.size() / 2) : text);
    }
    std::this_thread::sleep_for(milliseconds(round * 7));
    server.StopServer();
    for (RawClient& client : clients) EXPECT_TRUE(client.WaitForClose());
  }
}

}  // namespace
}  // namespace ocelli::server::testing
