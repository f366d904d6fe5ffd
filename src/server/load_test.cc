#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "server/test_client.h"
#include "server/test_server.h"

// Many clients, and clients that mean no good.
namespace ocelli::server::testing {
namespace {

using std::chrono::milliseconds;

TEST(Load, TwoHundredAtOnceAreAnsweredOrRefusedPolitely) {
  TestServerOptions options;
  options.engine.max_queue = 32;
  options.engine.max_sequences = 4;
  TestServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) clients.emplace_back(server.port());
  for (size_t i = 0; i < clients.size(); ++i) {
    const bool stream = i % 2 == 0;
    clients[i].Send(
        RequestText("POST", "/v1/chat/completions",
                    i % 5 == 0 ? PictureChatBody(PictureUrl(static_cast<uint8_t>(i)), 20, stream)
                               : ChatBody("hello", 20, stream),
                    ""));
  }
  EXPECT_EQ(Get(server.port(), "/health").status, 200);
  int answered = 0;
  for (RawClient& client : clients) {
    const HttpAnswer answer = client.ReadAnswer();
    EXPECT_TRUE(answer.complete);
    if (answer.status == 503) {
      EXPECT_FALSE(answer.Field("retry-after").empty());
      continue;
    }
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_NE(answer.body.find("a"), std::string::npos);
    ++answered;
  }
  EXPECT_GE(answered, 32);
  EXPECT_EQ(server.Chat(ChatBody("hello", 3)).status, 200);
  EXPECT_TRUE(server.WaitFor([](const EngineStats& stats) { return stats.kv_blocks_in_use == 0; }));
}

TEST(Load, ClientsThatComeAndGoLeaveNothingBehind) {
  TestServerOptions options;
  options.step = milliseconds(1);
  TestServer server(options);
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 6; ++seed) {
    threads.emplace_back([&server, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 15; ++i) {
        const bool stream = random() % 2 == 0;
        const std::string body =
            random() % 2 == 0 ? ChatBody("hello", 1 + random() % 60, stream)
                              : PictureChatBody(PictureUrl(static_cast<uint8_t>(random() % 9)),
                                                1 + random() % 60, stream);
        RawClient client(server.port());
        const std::string text = RequestText("POST", "/v1/chat/completions", body, "");
        switch (random() % 4) {
          case 0:  // leaves in the middle of the body
            client.Send(text.substr(0, random() % text.size()));
            break;
          case 1:  // leaves in the middle of the answer
            client.Send(text);
            client.Sees("aa", static_cast<int>(random() % 30));
            client.Reset();
            break;
          default:
            client.Send(text);
            EXPECT_EQ(client.ReadAnswer().status, 200);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(server.WaitFor([](const EngineStats& stats) {
    return stats.kv_blocks_in_use == 0 && stats.waiting_requests == 0 &&
           stats.running_sequences == 0;
  }));
  const std::string metrics = Get(server.port(), "/metrics").body;
  EXPECT_NE(metrics.find("ocelli_connections 1\n"), std::string::npos);
}

// Spoils a valid request in one of a few ways.
std::string Mutated(std::string text, std::mt19937& random) {
  const size_t count = 1 + random() % 6;
  for (size_t i = 0; i < count && !text.empty(); ++i) {
    const size_t at = random() % text.size();
    switch (random() % 6) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      case 2:
        text.insert(at, std::string(1 + random() % 300, static_cast<char>(random() % 256)));
        break;
      case 3:
        text.insert(at, text.substr(at, random() % 60));
        break;
      case 4:
        text.insert(at, "\r\n");
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(Load, SpoiltBytesNeverHurtAnybodyElse) {
  TestServerOptions options;
  options.server.header_timeout = milliseconds(200);
  options.server.body_timeout = milliseconds(200);
  options.server.max_body_bytes = 100'000;
  TestServer server(options);
  const std::vector<std::string> seeds = {
      RequestText("GET", "/v1/models", "", "Accept: */*\r\nCookie: a=b\r\n"),
      RequestText("POST", "/v1/chat/completions", ChatBody("hello", 2), ""),
      RequestText("POST", "/v1/chat/completions", ChatBody("hello", 2, true), ""),
      RequestText("DELETE", "/predict/abc", "", ""),
      "POST /v1/tokenize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\n{\"pro\r\n0b;x=y\r\nmpt\":\"abc\"}\r\n0\r\nX: y\r\n\r\n",
      RequestText("OPTIONS", "/predict", "", "Origin: https://a.example\r\n") +
          RequestText("GET", "/health", "", "")};
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    RawClient client(server.port());
    client.Send(Mutated(seeds[random() % seeds.size()], random));
    if (random() % 2 == 0) client.ShutdownSend();
    client.Sees("\r\n\r\n", static_cast<int>(random() % 10));
  }
  EXPECT_EQ(Get(server.port(), "/health").status, 200);
  EXPECT_EQ(server.Chat(ChatBody("hello", 3)).status, 200);
}

}  // namespace
}  // namespace ocelli::server::testing
