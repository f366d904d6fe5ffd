#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "base/log.h"
#include "server/gatekeeper.h"
#include "server/test_client.h"
#include "server/test_server.h"

// Who may come in, and what is written down about it.
namespace ocelli::server::testing {
namespace {

TEST(Access, KeysOpenTheApiAndProbesNeedNone) {
  TestServerOptions options;
  options.server.api_keys = {"first-key", "second-key"};
  TestServer server(options);
  const uint16_t port = server.port();
  EXPECT_EQ(Get(port, "/v1/models").status, 401);
  EXPECT_EQ(Get(port, "/v1/models").Field("www-authenticate"), "Bearer");
  EXPECT_EQ(Get(port, "/v1/models").Error("code"), "missing_api_key");
  for (const std::string wrong : {"first-ke", "first-key2", "FIRST-KEY", "second-keysecond-key"}) {
    const HttpAnswer answer = Get(port, "/v1/models", "Authorization: Bearer " + wrong + "\r\n");
    EXPECT_EQ(answer.status, 401) << wrong;
    EXPECT_EQ(answer.Error("code"), "invalid_api_key");
    EXPECT_EQ(answer.body.find(wrong), std::string::npos);
  }
  EXPECT_EQ(Get(port, "/v1/models", "Authorization: Bearer first-key\r\n").status, 200);
  EXPECT_EQ(Get(port, "/v1/models", "authorization: bearer second-key\r\n").status, 200);
  EXPECT_EQ(Get(port, "/v1/models", "X-Api-Key: second-key\r\n").status, 200);
  EXPECT_EQ(Get(port, "/metrics").status, 401);
  for (const char* path : {"/health", "/livez", "/ready", "/readyz", "/"}) {
    EXPECT_EQ(Get(port, path).status, 200) << path;
    EXPECT_EQ(Request(port, "HEAD", path).status, 200) << path;
    EXPECT_EQ(Request(port, "OPTIONS", path).status, 204) << path;
  }
}

TEST(Access, ABodyWithAWrongKeyIsNotRead) {
  TestServerOptions options;
  options.server.api_keys = {"key"};
  TestServer server(options);
  RawClient client(server.port());
  client.Send(
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000000\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 401);
}

TEST(Access, OnLoopbackOnlyLoopbackNamesAreAnswered) {
  TestServerOptions options;
  options.server.allowed_hosts = {"Ocelli.Lan"};
  TestServer server(options);
  const auto status = [&](const std::string& host) {
    return Get(server.port(), "/v1/models", "Host: " + host + "\r\n").status;
  };
  for (const std::string host : {"localhost", "LocalHost:7860", "localhost.", "127.0.0.1:80",
                                 "127.1.2.3", "[::1]:7860", "ocelli.lan", "ocelli.lan:7860"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const std::string host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "192.168.1.5", "[::2]", "",
        "[", "127.evil", "localhost:x@evil.example", "localhost:80:80", "[::1].evil.example",
        "[::1]evil:80"}) {
    EXPECT_EQ(status(host), 403) << host;
  }
}

HttpRequest FromHost(const std::string& host) {
  HttpRequest request;
  request.fields = {{"host", host}};
  return request;
}

TEST(Access, OffLoopbackNamesAreCheckedOnceSomeAreGiven) {
  ServerOptions options;
  EXPECT_FALSE(Gatekeeper(options, false).CheckHost(FromHost("anything.example")));
  options.allowed_hosts = {"ocelli.example"};
  const Gatekeeper gatekeeper(options, false);
  EXPECT_FALSE(gatekeeper.CheckHost(FromHost("ocelli.example:443")));
  EXPECT_FALSE(gatekeeper.CheckHost(FromHost("10.0.0.7:7860")));  // probes use the address
  EXPECT_TRUE(gatekeeper.CheckHost(FromHost("evil.example")));
}

TEST(Access, WithoutCorsOnlyTheServersOwnPageMayCall) {
  TestServer server;
  const uint16_t port = server.port();
  const HttpAnswer own =
      Get(port, "/v1/models", "Host: localhost:7860\r\nOrigin: http://localhost:7860\r\n");
  EXPECT_EQ(own.status, 200);
  EXPECT_EQ(own.Field("access-control-allow-origin"), "");
  for (const std::string origin :
       {"https://evil.example", "null", "file://", "http://localhost:1"}) {
    const HttpAnswer answer = Get(port, "/v1/models", "Origin: " + origin + "\r\n");
    EXPECT_EQ(answer.status, 403) << origin;
    EXPECT_EQ(answer.Error("code"), "origin_not_allowed");
    const HttpAnswer preflight =
        Request(port, "OPTIONS", "/v1/chat/completions", "",
                "Origin: " + origin + "\r\nAccess-Control-Request-Method: POST\r\n");
    EXPECT_EQ(preflight.Field("access-control-allow-origin"), "") << origin;
    EXPECT_EQ(preflight.Field("access-control-allow-methods"), "") << origin;
  }
  EXPECT_EQ(Get(port, "/health", "Origin: https://evil.example\r\n").status, 200);
}

TEST(Access, PreflightsNeedNoKeyAndNeverGiveCredentials) {
  TestServerOptions options;
  options.server.api_keys = {"key"};
  options.server.allowed_origins = {"https://good.example"};
  TestServer server(options);
  const HttpAnswer preflight =
      Request(server.port(), "OPTIONS", "/v1/chat/completions", "",
              "Origin: https://good.example\r\nAccess-Control-Request-Method: POST\r\n"
              "Access-Control-Request-Headers: authorization,content-type,x-stainless-os\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.Field("access-control-allow-origin"), "https://good.example");
  EXPECT_EQ(preflight.Field("access-control-allow-methods"), "POST, OPTIONS");
  EXPECT_EQ(preflight.Field("access-control-allow-headers"),
            "authorization,content-type,x-stainless-os");
  EXPECT_EQ(preflight.Field("vary"), "Origin");
  EXPECT_EQ(preflight.Field("access-control-allow-credentials"), "");
  // Errors can be read by the page too.
  const HttpAnswer refused = Get(server.port(), "/v1/models", "Origin: https://good.example\r\n");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.Field("access-control-allow-origin"), "https://good.example");
  EXPECT_EQ(
      Get(server.port(), "/v1/models", "Origin: https://good.example.evil\r\nX-Api-Key: key\r\n")
          .status,
      403);
}

TEST(Access, TheWildcardIsAWildcardWithoutCredentials) {
  TestServerOptions options;
  options.server.allowed_origins = {"*"};
  TestServer server(options);
  const HttpAnswer answer = Get(server.port(), "/v1/models", "Origin: https://any.example\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.Field("access-control-allow-origin"), "*");
  EXPECT_EQ(answer.Field("access-control-allow-credentials"), "");
}

TEST(Access, TheLogHasOneShortLineARequestAndNoSecrets) {
  TestServerOptions options;
  options.server.api_keys = {"secret-key"};
  TestServer server(options);
  SetLogLevel(LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  const std::string head = "Authorization: Bearer secret-key\r\nX-Request-Id: log-1\r\n";
  Post(server.port(), "/v1/chat/completions?token=query-secret", PictureChatBody(PictureUrl(), 3),
       head);
  Post(server.port(), "/v1/chat/completions", ChatBody("prompt-secret", 3), head);
  Post(server.port(), "/v1/chat/completions", R"({"messages": "json-secret", )", head);
  Get(server.port(), "/path-secret", head);
  Request(server.port(), "METHODSECRET", "/health", "", head);
  server.StopServer();
  const std::string log = ::testing::internal::GetCapturedStderr();
  SetLogLevel(LogLevel::kWarning);
  EXPECT_EQ(log.find("secret"), std::string::npos) << log;
  EXPECT_EQ(log.find("SECRET"), std::string::npos) << log;
  EXPECT_EQ(log.find("base64"), std::string::npos) << log;
  EXPECT_TRUE(std::regex_search(
      log, std::regex("request id=log-1 method=POST route=/v1/chat/completions status=200 "
                      "bytes=[0-9]+ seconds=[0-9.]+ .*\\[Performance\\] encode: [0-9.]+")))
      << log;
  size_t num_lines = 0;
  for (size_t at = 0; at < log.size(); ++num_lines) {
    const size_t end = log.find('\n', at);
    EXPECT_LT(end - at, 1024u);
    at = end + 1;
  }
  EXPECT_EQ(num_lines, 5u) << log;
}

}  // namespace
}  // namespace ocelli::server::testing
