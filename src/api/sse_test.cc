#include "api/sse.h"

#include <string>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

TEST(Sse, WritesEventsThatEndWithABlankLine) {
  const TestJson value = {{"a", 1}};
  EXPECT_EQ(SseData(value), "data: {\"a\":1}\n\n");
  EXPECT_EQ(SseEvent("x.y", value), "event: x.y\ndata: {\"a\":1}\n\n");
  EXPECT_EQ(SseComment(value), ": {\"a\":1}\n\n");
}

TEST(Sse, EveryStringStaysOnOneLineOfUtf8) {
  const std::string text =
      "a\nb\r\xC2\x85"
      "c\xE2\x80\xA8"
      "d\xE2\x80\xA9\xE2\x80\xA8"
      "e\xFF\xE4\xBD";
  const std::string line = JsonLine({{"t", text}});
  EXPECT_EQ(line, "{\"t\":\"a\\nb\\r\\u0085c\\u2028d\\u2029\\u2028e\xEF\xBF\xBD\xEF\xBF\xBD\"}");
  EXPECT_EQ(JsonLine({{"t", "你😀"}}), "{\"t\":\"你😀\"}");
}

}  // namespace
}  // namespace ocelli::api
