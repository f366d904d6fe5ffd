#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "server/test_client.h"
#include "server/test_server.h"
#include "server/test_web_host.h"

// How pictures travel: every one is used, or the call fails and names it.
namespace ocelli::server::testing {
namespace {

using nlohmann::json;
using ocelli::testing::TestDirectory;

size_t ImageTokens(const HttpAnswer& answer) {
  const json body = answer.Json();
  if (answer.status != 200) return 0;
  return body["usage"]["prompt_tokens_details"]["image_tokens"].get<size_t>();
}

std::string BodyOf(const json& content) {
  json message = {{"role", "user"}, {"content", content}};
  return json{{"messages", json::array({message})}, {"max_tokens", 2}}.dump();
}
json Picture(const std::string& url) {
  return {{"type", "image_url"}, {"image_url", {{"url", url}}}};
}
json Text(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

TEST(Pictures, DataUrlsAndRawBase64AreUsed) {
  TestServer server;
  const std::string base64 = Base64(PictureBytes());
  std::string wrapped = base64;
  for (size_t i = 76; i < wrapped.size(); i += 77) wrapped.insert(i, "\n");
  std::string unpadded = base64;
  while (unpadded.ends_with('=')) unpadded.pop_back();
  for (const std::string& url :
       {"data:image/png;base64," + base64, "DATA:image/jpeg;BASE64," + base64, base64, unpadded,
        "data:;base64," + wrapped, wrapped, " \n data:image/png;base64," + base64 + "\r\n"}) {
    const HttpAnswer answer = server.Chat(PictureChatBody(url, 2));
    EXPECT_EQ(ImageTokens(answer), 4u) << answer.body << url.substr(0, 30);
  }
}

TEST(Pictures, AllOfThemCountInTheirOrder) {
  TestServer server;
  const HttpAnswer answer = server.Chat(BodyOf({Text("a"), Picture(PictureUrl(1)), Text("b"),
                                                Picture(PictureUrl(2)), Picture(PictureUrl(3))}));
  EXPECT_EQ(ImageTokens(answer), 12u) << answer.body;
  EXPECT_EQ(server.engine().Stats().pictures_encoded, 3u);
}

TEST(Pictures, ABadOneIsNamedByItsPlace) {
  TestServer server;
  const std::string good = PictureUrl();
  for (const std::string& bad :
       {std::string("data:image/png;base64"), std::string("data:image/png;base64,"),
        "data:image/png;base64," + Base64("<html>not a picture"),
        "data:image/bmp;base64," + Base64(PictureBytes().substr(0, 5000)),
        std::string("data:image/png;base64,*"), std::string("/etc/passwd"),
        std::string("hello world!"), std::string("file:///etc/passwd"),
        std::string("http://127.0.0.1:1/x.png"), std::string("ftp://a/x.png")}) {
    const HttpAnswer answer = server.Chat(BodyOf({Picture(good), Text("b"), Picture(bad)}));
    EXPECT_EQ(answer.status, 400) << bad << answer.body;
    EXPECT_EQ(answer.Error("param"), "messages[0].content[2]") << bad << answer.body;
  }
}

TEST(Pictures, EnhancedOnesSayWhatWasDone) {
  TestServer server;
  json picture = Picture(PictureUrl());
  picture["enhance"] = {{"turn", 90}, {"light", false}};
  const HttpAnswer answer = server.Chat(BodyOf({picture, Text("b")}));
  ASSERT_EQ(answer.status, 200) << answer.body;
  const json used = answer.Json()["usage"]["prompt_tokens_details"]["pictures"][0];
  EXPECT_EQ(used["enhanced"]["steps"], json({"turn"}));
  EXPECT_EQ(used["enhanced"]["blank"], true);  // it is of one colour
  EXPECT_EQ(used["enhanced"]["to_original"].size(), 9u);
  picture["enhance"] = {{"turn", 91}};
  EXPECT_EQ(server.Chat(BodyOf({picture, Text("b")})).Error("param"), "messages[0].content[0]");
  picture["enhance"] = true;
  picture["image_url"]["url"] = "data:image/bmp;base64," + Base64(PictureBytes().substr(0, 5000));
  EXPECT_EQ(server.Chat(BodyOf({picture, Text("b")})).Error("param"), "messages[0].content[0]");
}

TEST(Pictures, FileUrlsSayTheSameWhetherTheFileExists) {
  TestServer server;
  EXPECT_EQ(server.Chat(PictureChatBody("file:///etc/passwd", 2)).Error("message"),
            server.Chat(PictureChatBody("file:///etc/missing", 2)).Error("message"));
}

TEST(Pictures, FilesBelowTheAllowedFolderAreUsed) {
  const TestDirectory directory;
  TestServerOptions options;
  options.server.image_directory = directory.path();
  const std::string path = directory.Write("a.bmp", PictureBytes()).string();
  directory.Write("text.txt", "not a picture");
  TestServer server(options);
  EXPECT_EQ(ImageTokens(server.Chat(PictureChatBody("file://" + path, 2))), 4u);
  EXPECT_EQ(server.Chat(PictureChatBody("file:///etc/passwd", 2)).status, 400);
  EXPECT_EQ(
      server.Chat(PictureChatBody("file://" + directory.path().string() + "/text.txt", 2)).status,
      400);
}

TEST(Pictures, AreFetchedFromAllowedHosts) {
  TestWebHost host([](const std::string& head) {
    if (head.starts_with("GET /missing")) return TestWebHost::Reply("404 Not Found", "");
    return TestWebHost::Reply("200 OK", PictureBytes());
  });
  TestServerOptions options;
  options.server.image_hosts = {"127.0.0.1"};
  TestServer server(options);
  EXPECT_EQ(ImageTokens(server.Chat(PictureChatBody(host.Url("/a.bmp"), 2))), 4u);
  const HttpAnswer missing = server.Chat(PictureChatBody(host.Url("/missing?key=secret"), 2, true));
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(missing.Error("param"), "messages[0].content[0]");
  EXPECT_NE(missing.Error("message").find("404"), std::string::npos);
  EXPECT_EQ(missing.body.find("secret"), std::string::npos);
}

TEST(Pictures, AClientThatLeavesDuringAFetchCostsNothing) {
  std::atomic<bool> go{false};
  TestWebHost host([&](const std::string&) {
    while (!go) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return TestWebHost::Reply("200 OK", PictureBytes());
  });
  TestServerOptions options;
  options.server.image_hosts = {"127.0.0.1"};
  TestServer server(options);
  {
    RawClient client(server.port());
    client.Send(
        RequestText("POST", "/v1/chat/completions", PictureChatBody(host.Url("/a"), 2), ""));
    while (host.num_connections() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const std::string gone =
      R"(ocelli_http_requests_total{route="/v1/chat/completions",status="499"} 1)";
  bool noticed = false;
  for (int i = 0; i < 3000 && !noticed; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    noticed = Get(server.port(), "/metrics").body.find(gone) != std::string::npos;
  }
  EXPECT_TRUE(noticed);
  go = true;
  EXPECT_EQ(server.engine().Stats().requests_accepted, 0u);
}

json NamedPicture(const std::string& uuid, const std::string& url = "") {
  json picture = {{"type", "image_url"}, {"uuid", uuid}};
  if (!url.empty()) picture["image_url"] = {{"url", url}};
  return picture;
}

TEST(Pictures, AreSentOnceUnderAUuidScopedByKey) {
  TestServerOptions options;
  options.server.api_keys = {"mine", "yours"};
  TestServer server(options);
  const auto ask = [&](const std::string& key, const json& picture) {
    return Post(server.port(), "/v1/chat/completions", BodyOf({picture, Text("what?")}),
                "X-Api-Key: " + key + "\r\n");
  };
  EXPECT_EQ(ask("mine", NamedPicture("cat")).status, 400);
  EXPECT_EQ(ImageTokens(ask("mine", NamedPicture("cat", PictureUrl(1)))), 4u);
  EXPECT_EQ(ImageTokens(ask("mine", NamedPicture("cat"))), 4u);
  EXPECT_EQ(server.engine().Stats().pictures_encoded, 1u);
  EXPECT_EQ(ask("yours", NamedPicture("cat")).status, 400);
  const HttpAnswer changed = ask("mine", NamedPicture("cat", PictureUrl(2)));
  EXPECT_EQ(changed.status, 400);
  EXPECT_EQ(changed.Error("param"), "messages[0].content[0]");
  // What is no picture is not kept.
  EXPECT_EQ(ask("mine", NamedPicture("bad", "data:image/png;base64,AAAA")).status, 400);
  EXPECT_EQ(ask("mine", NamedPicture("bad")).status, 400);
}

TEST(Pictures, TheirSizeIsBoundedBeforeTheyAreDecoded) {
  TestServerOptions options;
  options.server.max_picture_bytes = 100'000;
  TestServer server(options);
  const HttpAnswer large =
      server.Chat(PictureChatBody("data:image/bmp;base64," + Base64(PictureBytes(1, 256)), 2));
  EXPECT_EQ(large.status, 413);
  EXPECT_NE(large.Error("message").find("100000"), std::string::npos);
}

TEST(Pictures, TheirPixelsMustHaveMemory) {
  TestServerOptions options;
  options.server.decode_memory_bytes = 64 * 64 * 9;
  TestServer server(options);
  const auto status = [&](int side, bool enhance) {
    json part = Picture("data:image/bmp;base64," + Base64(PictureBytes(1, side)));
    part["enhance"] = enhance;
    return server.Chat(BodyOf(json::array({part}))).status;
  };
  EXPECT_EQ(status(64, true), 200);
  EXPECT_EQ(status(96, false), 200);
  EXPECT_EQ(status(96, true), 413);  // enhancing takes more
  EXPECT_EQ(status(128, false), 413);
  const HttpAnswer list = Get(server.port(), "/v1/models");
  EXPECT_EQ(list.Json()["data"][0]["pictures"]["max_source_pixels"], 64 * 64 * 9 / 4);
}

TEST(Pictures, MoreThanTheContextHoldsAreRefused) {
  TestServerOptions options;
  options.server.max_pictures = 100;
  TestServer server(options);
  // 64 tokens each; the context has 4,096.
  const std::string url = "data:image/bmp;base64," + Base64(PictureBytes(1, 256));
  ASSERT_EQ(server.Chat(BodyOf(json::array({NamedPicture("large", url)}))).status, 200);
  const HttpAnswer answer = server.Chat(BodyOf(json(65, NamedPicture("large"))));
  EXPECT_EQ(answer.status, 413) << answer.body;
  EXPECT_EQ(server.engine().Stats().requests_accepted, 1u);
}

}  // namespace
}  // namespace ocelli::server::testing
