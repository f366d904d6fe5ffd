#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "server/body_reader.h"
#include "server/byte_budget.h"
#include "server/metrics.h"
#include "server/readiness.h"
#include "server/router.h"

// The small parts that need no socket.
namespace ocelli::server {
namespace {

using std::chrono::seconds;

HttpRequest ChunkedRequest() {
  HttpRequest request;
  request.chunked = true;
  return request;
}

TEST(BodyReader, ReadsChunksWhateverThePieces) {
  const std::string wire = "5\r\nhello\r\n06;note=\"x\"\r\n world\r\n0\r\nTrailer: x\r\n\r\nGET /";
  for (size_t piece = 1; piece < wire.size(); ++piece) {
    BodyReader reader({100, std::make_shared<ByteBudget>(100)});
    reader.Begin(ChunkedRequest());
    std::string input;
    for (size_t at = 0; at < wire.size() && !reader.done(); at += piece) {
      input += wire.substr(at, piece);
      input.erase(0, reader.Put(input));
      ASSERT_FALSE(reader.fault().has_value());
    }
    EXPECT_TRUE(reader.done());
    EXPECT_EQ(reader.TakeBody(), "hello world");
    EXPECT_TRUE(std::string("GET /").starts_with(input)) << input;
  }
}

TEST(BodyReader, RefusesWhatIsNoChunk) {
  for (const std::string wire :
       {"\r\n", "g\r\n", "-1\r\n", "0x5\r\n", " \r\n", "5 5\r\n", "3\r\nabcd\r\n",
        "ffffffffffffffffff\r\n", "65\r\n", "0\r\n", "3\n", "3;\nabc\r\n", "3\rabc\r\n",
        "3\r\nabc\n", "0\r\nA: b\n\r\n"}) {
    BodyReader reader({100, std::make_shared<ByteBudget>(100)});
    reader.Begin(ChunkedRequest());
    std::string input = wire;
    if (wire == "0\r\n") input += std::string(2000, 'x');
    reader.Put(input);
    EXPECT_TRUE(reader.fault().has_value()) << wire;
    EXPECT_FALSE(reader.done()) << wire;
  }
}

TEST(BodyReader, ReturnsWhatItTookOfTheBudget) {
  const auto budget = std::make_shared<ByteBudget>(10);
  HttpRequest request;
  request.content_length = 8;
  {
    BodyReader reader({100, budget});
    reader.Begin(request);
    reader.Put("12345678");
    EXPECT_EQ(budget->used_bytes(), 8u);
    BodyReader other({100, budget});
    other.Begin(request);
    other.Put("123");
    ASSERT_TRUE(other.fault().has_value());
    EXPECT_EQ(other.fault()->status, 503);
    const ByteShare share = reader.TakeShare();
    EXPECT_EQ(share.bytes(), 8u);
  }
  EXPECT_EQ(budget->used_bytes(), 0u);
}

TEST(Router, FindsPathsMethodsAndParameters) {
  Router router;
  router.Add({"GET", "/a", RouteAccess::kOpen, {}});
  router.Add({"POST", "/a", RouteAccess::kKey, {}});
  router.Add({"GET", "/m/{id}", RouteAccess::kKey, {}});
  EXPECT_EQ(router.Find("HEAD", "/a").route, &router.routes()[0]);
  EXPECT_EQ(router.Find("POST", "/a").route, &router.routes()[1]);
  EXPECT_EQ(router.Find("PUT", "/a").route, nullptr);
  EXPECT_EQ(router.Find("PUT", "/a").allow, "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(router.Find("GET", "/m/Qwen/Qwen3-VL").parameter, "Qwen/Qwen3-VL");
  EXPECT_TRUE(router.Find("GET", "/m/").allow.empty());
  EXPECT_TRUE(router.Find("GET", "/a/").allow.empty());
}

TEST(Readiness, AnEngineThatDoesNotMoveWhileWorkWaitsIsStuck) {
  Readiness readiness(seconds(60));
  readiness.SetService(Service());
  const Readiness::TimePoint start{};
  EngineStats stats;
  readiness.Watch(stats, start);
  EXPECT_EQ(readiness.Response(start + seconds(1000)).status, 200);  // idle for long
  stats.waiting_requests = 1;
  readiness.Watch(stats, start + seconds(1000));
  EXPECT_EQ(readiness.Response(start + seconds(1060)).status, 200);
  EXPECT_EQ(readiness.Response(start + seconds(1061)).status, 503);
  EXPECT_NE(readiness.Response(start + seconds(1061)).body.find("stuck"), std::string::npos);
  stats.steps = 1;
  readiness.Watch(stats, start + seconds(1062));
  EXPECT_EQ(readiness.Response(start + seconds(1062)).status, 200);
}

TEST(Metrics, HistogramsCountBelowTheirBounds) {
  Histogram histogram({1, 10});
  for (const double value : {0.5, 1.0, 5.0, 100.0}) histogram.Observe(value);
  std::string text;
  histogram.WriteTo(text, "x", "Help");
  EXPECT_EQ(text,
            "# HELP x Help\n# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"10\"} 3\n"
            "x_bucket{le=\"+Inf\"} 4\nx_sum 106.5\nx_count 4\n");
}

}  // namespace
}  // namespace ocelli::server
