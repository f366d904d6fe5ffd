#include "server/picture_fetcher.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "server/test_web_host.h"

namespace ocelli::server {
namespace {

using std::chrono::milliseconds;
using testing::TestWebHost;

constexpr size_t kMaxBytes = 1000;

PictureFetcher Fetcher(const std::vector<std::string>& hosts,
                       milliseconds timeout = milliseconds(10'000)) {
  return PictureFetcher(HostList(hosts), kMaxBytes, timeout);
}

std::string Fetch(const PictureFetcher& fetcher, const std::string& url) {
  const std::atomic<bool> cancelled{false};
  const auto bytes = fetcher.Fetch(url, cancelled);
  if (!bytes.ok()) return "error: " + bytes.error().message;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

TEST(PictureFetcher, FetchesFromANamedHostWithAUserAgent) {
  TestWebHost host([](const std::string& head) {
    const bool named = head.find("User-Agent: ocelli/") != std::string::npos;
    return TestWebHost::Reply(named ? "200 OK" : "403 Forbidden", "picture");
  });
  EXPECT_EQ(Fetch(Fetcher({"127.0.0.1"}), host.Url("/x.png")), "picture");
  EXPECT_EQ(Fetch(Fetcher({fmt::format("127.0.0.1:{}", host.port())}), host.Url("/x")), "picture");
}

TEST(PictureFetcher, ConnectsToNobodyUnlessAllowed) {
  TestWebHost host([](const std::string&) { return TestWebHost::Reply("200 OK", "secret"); });
  const uint16_t port = host.port();
  const std::vector<std::string> urls = {
      host.Url("/x.png"),
      fmt::format("http://[::1]:{}/", port),
      fmt::format("http://2130706433:{}/", port),
      fmt::format("http://0x7f.1:{}/", port),
      fmt::format("http://0177.0.0.1:{}/", port),
      fmt::format("http://127.1:{}/", port),
      fmt::format("http://0:{}/", port),
      fmt::format("http://localhost:{}/", port),
      fmt::format("http://localhost.:{}/", port),
      fmt::format("http://[::ffff:127.0.0.1]:{}/", port),
      fmt::format("http://user:pass@127.0.0.1:{}/", port),
      fmt::format("http://good.example@127.0.0.1:{}/", port),
      "http://169.254.169.254/",
      fmt::format("ftp://127.0.0.1:{}/", port),
      fmt::format("gopher://127.0.0.1:{}/", port),
      fmt::format("dict://127.0.0.1:{}/", port),
      "file:///etc/passwd",
      "http://",
      "http:///x",
      "http://a b/",
      "http://127.0.0.1:99999/",
  };
  for (const auto& hosts : std::vector<std::vector<std::string>>{{}, {"*"}, {"good.example"}}) {
    const PictureFetcher fetcher = Fetcher(hosts, milliseconds(3000));
    for (const std::string& url : urls) {
      const std::string result = Fetch(fetcher, url);
      EXPECT_TRUE(result.starts_with("error: ")) << url << ": " << result;
    }
  }
  EXPECT_EQ(host.num_connections(), 0);
}

TEST(PictureFetcher, NumbersForAnAddressAreThatAddress) {
  TestWebHost host([](const std::string&) { return TestWebHost::Reply("200 OK", "picture"); });
  EXPECT_EQ(Fetch(Fetcher({"127.0.0.1"}), fmt::format("http://2130706433:{}/", host.port())),
            "picture");
}

TEST(PictureFetcher, ChecksEveryRedirect) {
  TestWebHost inner([](const std::string&) { return TestWebHost::Reply("200 OK", "secret"); });
  std::string target;
  TestWebHost outer([&](const std::string& head) {
    if (head.starts_with("GET /here")) return TestWebHost::Reply("200 OK", "picture");
    return TestWebHost::Reply("302 Found", "", "Location: " + target + "\r\n");
  });
  const PictureFetcher fetcher = Fetcher({fmt::format("127.0.0.1:{}", outer.port())});
  target = "/here";
  EXPECT_EQ(Fetch(fetcher, outer.Url("/a")), "picture");
  for (const std::string& away :
       {inner.Url("/"), std::string("file:///etc/passwd"), std::string("http://169.254.169.254/"),
        fmt::format("http://localhost:{}/", inner.port())}) {
    target = away;
    EXPECT_TRUE(Fetch(fetcher, outer.Url("/a")).starts_with("error: ")) << away;
  }
  EXPECT_EQ(inner.num_connections(), 0);
  target = "/again";  // for ever
  EXPECT_NE(Fetch(fetcher, outer.Url("/a")).find("moved more than"), std::string::npos);
}

TEST(PictureFetcher, NamesHostAndStatusAndNothingElseOfTheUrl) {
  TestWebHost host([](const std::string&) { return TestWebHost::Reply("403 Forbidden", "no"); });
  const std::string error = Fetch(Fetcher({"127.0.0.1"}), host.Url("/x.png?signature=secret"));
  EXPECT_NE(error.find("127.0.0.1"), std::string::npos) << error;
  EXPECT_NE(error.find("403"), std::string::npos) << error;
  EXPECT_EQ(error.find("secret"), std::string::npos) << error;
}

TEST(PictureFetcher, StopsAtTheLimitAnnouncedOrNot) {
  TestWebHost announced([](const std::string&) {
    return TestWebHost::Reply("200 OK", std::string(kMaxBytes + 1, 'x'));
  });
  EXPECT_NE(Fetch(Fetcher({"127.0.0.1"}), announced.Url("/")).find("1000 bytes"),
            std::string::npos);
  TestWebHost endless(
      [](const std::string&) { return "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x'); });
  EXPECT_NE(Fetch(Fetcher({"127.0.0.1"}), endless.Url("/")).find("1000 bytes"), std::string::npos);
}

TEST(PictureFetcher, GivesUpOnASilentHost) {
  TestWebHost silent([](const std::string&) { return std::string(); });
  const std::string error = Fetch(Fetcher({"127.0.0.1"}, milliseconds(200)), silent.Url("/"));
  EXPECT_TRUE(error.starts_with("error: ")) << error;
}

TEST(PictureFetcher, EndsSoonWhenTheClientHasLeft) {
  TestWebHost slow([](const std::string&) {
    std::this_thread::sleep_for(milliseconds(1500));
    return TestWebHost::Reply("200 OK", "late");
  });
  const std::atomic<bool> cancelled{true};
  const auto bytes = Fetcher({"127.0.0.1"}).Fetch(slow.Url("/"), cancelled);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kCancelled);
}

TEST(PictureFetcher, UsesNoProxyOfTheEnvironment) {
  TestWebHost proxy([](const std::string&) { return TestWebHost::Reply("200 OK", "proxied"); });
  TestWebHost host([](const std::string&) { return TestWebHost::Reply("200 OK", "picture"); });
  setenv("http_proxy", proxy.Url("").c_str(), 1);
  setenv("all_proxy", proxy.Url("").c_str(), 1);
  EXPECT_EQ(Fetch(Fetcher({"127.0.0.1"}), host.Url("/")), "picture");
  unsetenv("http_proxy");
  unsetenv("all_proxy");
  EXPECT_EQ(proxy.num_connections(), 0);
}

}  // namespace
}  // namespace ocelli::server
