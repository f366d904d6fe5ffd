#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "server/test_client.h"
#include "server/test_server.h"

// What a connection does with requests, good and bad, before any route has a say.
namespace ocelli::server::testing {
namespace {

using std::chrono::milliseconds;

const std::string kChatHead = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n";

TEST(Protocol, AnswersSeveralRequestsOnOneConnection) {
  TestServer server;
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(RequestText("GET", "/health", "", "")));
    const HttpAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.Field("connection"), "keep-alive");
    EXPECT_FALSE(answer.Field("date").empty());
  }
}

TEST(Protocol, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawClient client(server.port());
  client.Send(
      RequestText("GET", "/health", "", "X-Request-Id: one\r\n") +
      RequestText("POST", "/v1/chat/completions", ChatBody("hi", 2), "X-Request-Id: two\r\n") +
      RequestText("GET", "/nothing", "", "X-Request-Id: three\r\n"));
  EXPECT_EQ(client.ReadAnswer().Field("x-request-id"), "one");
  EXPECT_EQ(client.ReadAnswer().Field("x-request-id"), "two");
  EXPECT_EQ(client.ReadAnswer().Field("x-request-id"), "three");
}

TEST(Protocol, ClosesWhenAskedAndForHttp10) {
  TestServer server;
  RawClient client(server.port());
  client.Send(RequestText("GET", "/health", "", "Connection: close\r\n"));
  EXPECT_EQ(client.ReadAnswer().Field("connection"), "close");
  EXPECT_TRUE(client.WaitForClose());
  RawClient old(server.port());
  old.Send("GET /health HTTP/1.0\r\n\r\n");  // as load balancers probe: without Host
  EXPECT_EQ(old.ReadAnswer().status, 200);
  EXPECT_TRUE(old.WaitForClose());
}

TEST(Protocol, ATargetInAbsoluteFormBringsItsOwnHost) {
  TestServer server;
  const auto status = [&](const std::string& target) {
    RawClient client(server.port());
    client.Send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.ReadAnswer().status;
  };
  EXPECT_EQ(status("http://localhost/health"), 200);
  EXPECT_EQ(status("HTTP://127.0.0.1:80/health?x=1"), 200);
  EXPECT_EQ(status("http://localhost"), 200);  // the page
  EXPECT_EQ(status("http://localhost?x=://"), 200);
  EXPECT_EQ(status("/health?url=http://evil.example/"), 200);
  EXPECT_EQ(status("http://evil.example/health"), 403);
  EXPECT_EQ(status("http://localhost@evil.example/health"), 403);
  EXPECT_EQ(status("http:///health"), 403);
  for (const char* other : {"ftp://localhost/health", "%2fhealth", "health", "*", "://"}) {
    EXPECT_EQ(status(other), 404) << other;
  }
}

TEST(Protocol, HeadHasLengthAndNoBody) {
  TestServer server;
  RawClient client(server.port());
  client.Send(RequestText("HEAD", "/health", "", ""));
  const HttpAnswer head = client.ReadAnswer(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.Field("content-length"), "15");
  client.Send(RequestText("GET", "/health", "", ""));
  EXPECT_EQ(client.ReadAnswer().body, R"({"status":"ok"})");
}

TEST(Protocol, UnknownPathsAndMethodsAreJsonErrors) {
  TestServer server;
  const HttpAnswer missing = Get(server.port(), "/v2/chat");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.Error("code"), "not_found");
  const HttpAnswer wrong = Get(server.port(), "/v1/chat/completions");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.Field("allow"), "POST, OPTIONS");
  EXPECT_FALSE(wrong.Error("message").empty());
  EXPECT_EQ(Request(server.port(), "BREW", "/health").status, 405);
  const HttpAnswer options = Request(server.port(), "OPTIONS", "/health");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.Field("allow"), "GET, HEAD, OPTIONS");
}

TEST(Protocol, TheRequestIdComesBackWhenItIsSane) {
  TestServer server;
  EXPECT_EQ(Get(server.port(), "/health", "X-Request-Id: a-b_c.9\r\n").Field("x-request-id"),
            "a-b_c.9");
  const HttpAnswer strange = Get(server.port(), "/nothing", "X-Request-Id: a b<script>\r\n");
  const std::string id = strange.Field("x-request-id");
  EXPECT_TRUE(id.starts_with("req_")) << id;
  EXPECT_EQ(strange.Error("request_id"), id);
}

TEST(Protocol, MalformedRequestsAre400AndTheConnectionEnds) {
  TestServer server;
  for (const std::string text : {
           "GARBAGE\r\n\r\n",
           "GET /health\r\n\r\n",
           "GET /health HTTP/1.1\r\nBad Header\r\n\r\n",
           "GET /health HTTP/1.1\r\n\r\n",  // no Host
           "GET /health HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n",
           "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
           "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
           "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: "
           "2\r\n\r\n",
           "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: "
           "chunked\r\n\r\n",
           "POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
           "POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
           "chunked\r\n\r\n3\r\nabcd\r\n",
       }) {
    RawClient client(server.port());
    client.Send(text);
    const HttpAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, 400) << text;
    EXPECT_EQ(answer.Error("type"), "invalid_request_error") << text;
    EXPECT_TRUE(client.WaitForClose()) << text;
  }
}

TEST(Protocol, OtherVersionsAndTransferEncodingsAreNamed) {
  TestServer server;
  RawClient two(server.port());
  two.Send("GET / HTTP/3.0\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(two.ReadAnswer().status, 505);
  RawClient gzip(server.port());
  gzip.Send(kChatHead + "Transfer-Encoding: gzip, chunked\r\n\r\n");
  EXPECT_EQ(gzip.ReadAnswer().status, 501);
  const HttpAnswer compressed =
      Post(server.port(), "/v1/chat/completions", "xx", "Content-Encoding: gzip\r\n");
  EXPECT_EQ(compressed.status, 415);
}

TEST(Protocol, TooLongAHeadIs431) {
  TestServer server;
  RawClient client(server.port());
  client.Send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + std::string(40'000, 'a'));
  EXPECT_EQ(client.ReadAnswer().status, 431);
}

TEST(Protocol, ChunkedBodiesInAnyPiecesAreRead) {
  TestServer server;
  RawClient client(server.port());
  const std::string body = ChatBody("hello", 3);
  client.Send(kChatHead + "Transfer-Encoding: chunked\r\n\r\n");
  for (size_t i = 0; i < body.size(); i += 7) {
    const std::string piece = body.substr(i, 7);
    for (const char c : fmt::format("{:x};note=1\r\n{}\r\n", piece.size(), piece)) {
      client.Send(std::string(1, c));
    }
  }
  client.Send("0\r\nX-Trailer: 1\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 200);
}

TEST(Protocol, Expect100ContinueIsAnsweredBeforeTheBody) {
  TestServer server;
  RawClient client(server.port());
  const std::string body = ChatBody("hello", 3);
  client.Send(kChatHead +
              fmt::format("Content-Length: {}\r\nExpect: 100-continue\r\n\r\n", body.size()));
  EXPECT_EQ(client.ReadAnswer().status, 100);
  client.Send(body);
  EXPECT_EQ(client.ReadAnswer().status, 200);
  RawClient other(server.port());
  other.Send(kChatHead + "Content-Length: 5\r\nExpect: magic\r\n\r\n");
  EXPECT_EQ(other.ReadAnswer().status, 417);
}

TEST(Protocol, ABodyOverTheLimitIs413NamingIt) {
  TestServerOptions options;
  options.server.max_body_bytes = 1'000'000;
  TestServer server(options);
  // Announced, and refused before it is sent.
  RawClient polite(server.port());
  polite.Send(kChatHead + "Content-Length: 1000001\r\nExpect: 100-continue\r\n\r\n");
  const HttpAnswer refused = polite.ReadAnswer();
  EXPECT_EQ(refused.status, 413);
  EXPECT_NE(refused.Error("message").find("1000000"), std::string::npos);
  // Sent to the end before the answer is read: the answer still arrives.
  RawClient eager(server.port());
  const std::string body(8'000'000, 'x');
  eager.Send(kChatHead + fmt::format("Content-Length: {}\r\n\r\n", body.size()));
  EXPECT_TRUE(eager.Send(body));
  EXPECT_EQ(eager.ReadAnswer().status, 413);
  EXPECT_TRUE(eager.WaitForClose());
  // In chunks, which announce nothing.
  RawClient chunked(server.port());
  chunked.Send(kChatHead + "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "40000\r\n" + std::string(0x40000, 'x') + "\r\n";
  for (int i = 0; i < 8; ++i) chunked.Send(chunk);
  EXPECT_EQ(chunked.ReadAnswer().status, 413);
}

TEST(Protocol, SlowHeadsBodiesAndIdleConnectionsAreEnded) {
  TestServerOptions options;
  options.server.header_timeout = milliseconds(100);
  options.server.body_timeout = milliseconds(100);
  options.server.idle_timeout = milliseconds(300);
  TestServer server(options);
  RawClient head(server.port());
  head.Send("GET /health HTT");
  EXPECT_EQ(head.ReadAnswer().status, 408);
  EXPECT_TRUE(head.WaitForClose());
  RawClient body(server.port());
  body.Send(kChatHead + "Content-Length: 10\r\n\r\n123");
  EXPECT_EQ(body.ReadAnswer().status, 408);
  RawClient idle(server.port());
  idle.Send(RequestText("GET", "/health", "", ""));
  EXPECT_EQ(idle.ReadAnswer().status, 200);
  EXPECT_TRUE(idle.WaitForClose());
}

TEST(Protocol, ConnectionsOverTheLimitAreToldSo) {
  TestServerOptions options;
  options.server.max_connections = 2;
  TestServer server(options);
  RawClient first(server.port());
  RawClient second(server.port());
  first.Send(RequestText("GET", "/health", "", ""));
  second.Send(RequestText("GET", "/health", "", ""));
  EXPECT_EQ(first.ReadAnswer().status, 200);
  EXPECT_EQ(second.ReadAnswer().status, 200);
  const HttpAnswer refused = Get(server.port(), "/health");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.Error("code"), "too_many_connections");
  first.Close();
  second.Close();
  for (int i = 0; i < 500; ++i) {
    if (Get(server.port(), "/health").status == 200) return;
    std::this_thread::sleep_for(milliseconds(10));
  }
  ADD_FAILURE() << "no connection is taken after the others have left";
}

TEST(Protocol, AllBodiesTogetherAreBounded) {
  TestServerOptions options;
  options.server.body_memory_bytes = 800'000;  // eight of them fit
  TestServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 9; ++i) {
    clients.emplace_back(server.port());
    clients.back().Send(kChatHead + "Content-Length: 100000\r\n\r\n" + std::string(99'990, ' '));
  }
  for (int i = 0; i < 5000; ++i) {
    RawClient& client = clients[static_cast<size_t>(i) % clients.size()];
    if (!client.Sees("\r\n\r\n", 5)) continue;
    const HttpAnswer answer = client.ReadAnswer();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.Error("code"), "server_busy");
    return;
  }
  ADD_FAILURE() << "nine bodies are held";
}

TEST(Protocol, TheBasePathIsBeforeEveryRoute) {
  TestServerOptions options;
  options.server.base_path = "/ocelli/";
  TestServer server(options);
  EXPECT_EQ(Get(server.port(), "/ocelli/health").status, 200);
  EXPECT_EQ(Get(server.port(), "/ocelli/").status, 200);
  EXPECT_EQ(Get(server.port(), "/health").status, 404);
  EXPECT_EQ(Get(server.port(), "/ocellihealth").status, 404);
  EXPECT_EQ(Get(server.port(), "http://localhost/ocelli/health").status, 200);  // as to a proxy
}

TEST(Protocol, TheBasePathWithoutItsSlashLeadsToThePage) {
  TestServerOptions options;
  options.server.base_path = "/tools/ocelli";
  options.server.api_keys = {"key"};
  TestServer server(options);
  for (const std::string method : {"GET", "HEAD", "POST"}) {
    const HttpAnswer answer = Request(server.port(), method, "/tools/ocelli");
    EXPECT_EQ(answer.status, 308) << method;
    EXPECT_EQ(answer.Field("location"), "/tools/ocelli/") << method;
  }
  EXPECT_EQ(Get(server.port(), "/tools/ocelli?lang=en").Field("location"),
            "/tools/ocelli/?lang=en");
  EXPECT_EQ(Get(server.port(), "/tools").status, 404);
  EXPECT_EQ(Get(server.port(), "/tools/ocelli", "Host: evil.example\r\n").status, 403);
}

TEST(Protocol, TasksAreFoundBelowTheBasePath) {
  TestServerOptions options;
  options.server.base_path = "/ocelli/";
  TestServer server(options);
  const HttpAnswer begun = Post(server.port(), "/ocelli/predict", R"({"question":"hi"})");
  ASSERT_EQ(begun.status, 202) << begun.body;
  EXPECT_TRUE(begun.Field("location").starts_with("/ocelli/predict/")) << begun.Field("location");
  EXPECT_EQ(Get(server.port(), begun.Field("location")).status, 200);
}

TEST(Protocol, ThePlainPageListsTheRoutes) {
  TestServer server;
  const HttpAnswer page = Get(server.port(), "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.Field("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("POST /v1/chat/completions"), std::string::npos);
}

TEST(Protocol, StaticFilesHaveTagsAndTypes) {
  TestServerOptions options;
  options.server.static_files = {{"/", "text/html", "", "<p>page", false, "default-src 'self'"},
                                 {"/a.js", "text/javascript", "gzip", "zipped", true, {}}};
  TestServer server(options);
  const HttpAnswer page = Get(server.port(), "/");
  EXPECT_EQ(page.body, "<p>page");
  EXPECT_EQ(page.Field("content-security-policy"), "default-src 'self'; frame-ancestors 'none'");
  const HttpAnswer script = Get(server.port(), "/a.js?v=1");
  EXPECT_EQ(script.Field("content-encoding"), "gzip");
  EXPECT_NE(script.Field("cache-control").find("immutable"), std::string::npos);
  EXPECT_EQ(script.Field("content-security-policy"), "frame-ancestors 'none'");
  for (const HttpAnswer& answer : {page, script}) {
    EXPECT_EQ(answer.Field("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.Field("referrer-policy"), "no-referrer");
    EXPECT_EQ(answer.Field("x-frame-options"), "DENY");
  }
  const HttpAnswer again =
      Get(server.port(), "/a.js", "If-None-Match: " + script.Field("etag") + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
}

}  // namespace
}  // namespace ocelli::server::testing
