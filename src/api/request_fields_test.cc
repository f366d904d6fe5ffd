#include "api/request_fields.h"

#include <limits>
#include <string>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

constexpr std::string_view kObject = R"({"yes": true, "five": 5, "half": 0.5, "whole": 6.0,
    "huge": 1e300, "max": 18446744073709551615, "text": "abc", "nothing": null, "list": [1, 2, 3],
    "object": {}, "long": ")";

class RequestFieldsTest : public ::testing::Test {
 protected:
  TestJson object_ = MustParse(std::string(kObject) + std::string(1000, 's') + "\"}");
  RequestFields fields_{object_, "outer."};
};

TEST_F(RequestFieldsTest, ReadsEachTypeAndTakesNullForAbsent) {
  EXPECT_EQ(*fields_.Bool("yes").value(), true);
  EXPECT_EQ(*fields_.Integer("five", 1, 9).value(), 5);
  EXPECT_EQ(*fields_.Integer("whole", 1, 9).value(), 6);
  EXPECT_EQ(*fields_.Number("half", 0, 1).value(), 0.5);
  EXPECT_EQ(*fields_.Number("five", 0, 9).value(), 5.0);
  EXPECT_EQ(*fields_.String("text", 0, 9).value(), "abc");
  EXPECT_EQ(fields_.List("list", 3).value()->size(), 3u);
  EXPECT_NE(fields_.Object("object").value(), nullptr);
  for (const char* key : {"nothing", "absent"}) {
    EXPECT_EQ(fields_.Bool(key).value(), std::nullopt);
    EXPECT_EQ(fields_.Integer(key, 0, 9).value(), std::nullopt);
    EXPECT_EQ(fields_.Number(key, 0, 9).value(), std::nullopt);
    EXPECT_EQ(fields_.String(key, 0, 9).value(), std::nullopt);
    EXPECT_EQ(fields_.List(key, 9).value(), nullptr);
    EXPECT_EQ(fields_.Object(key).value(), nullptr);
  }
}

TEST_F(RequestFieldsTest, NumbersTooLargeForAnIntegerCountAsItsLimit) {
  EXPECT_EQ(*fields_.Integer("huge", 1, INT64_MAX).value(), INT64_MAX);
  EXPECT_EQ(*fields_.Integer("max", 1, INT64_MAX).value(), INT64_MAX);
}

TEST_F(RequestFieldsTest, ErrorsNameFieldValueAndLimit) {
  const std::string code = "invalid_argument ";
  EXPECT_EQ(Verdict(fields_.Bool("five")),
            code + "outer.five | outer.five is 5; it must be true or false");
  EXPECT_EQ(Verdict(fields_.Integer("text", 1, 9)),
            code +
                "outer.text | outer.text is the string \"abc\"; it must be a whole number from "
                "1 to 9");
  EXPECT_EQ(Verdict(fields_.Integer("five", 6, INT64_MAX)),
            code + "outer.five | outer.five is 5; it must be a whole number of at least 6");
  EXPECT_EQ(Verdict(fields_.Integer("half", 0, 9)),
            code + "outer.half | outer.half is 0.5; it must be a whole number from 0 to 9");
  EXPECT_EQ(Verdict(fields_.Number("yes", 0, 2)),
            code + "outer.yes | outer.yes is true; it must be a number from 0 to 2");
  constexpr double kAny = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Verdict(fields_.Number("yes", -kAny, kAny)),
            code + "outer.yes | outer.yes is true; it must be a number");
  EXPECT_EQ(Verdict(fields_.String("five", 0, SIZE_MAX)),
            code + "outer.five | outer.five is 5; it must be a string");
  EXPECT_EQ(Verdict(fields_.String("list", 0, 9)),
            code + "outer.list | outer.list is a list; it must be a string of 0 to 9 bytes");
  EXPECT_EQ(Verdict(fields_.List("text", 9)),
            code + "outer.text | outer.text is the string \"abc\"; it must be a list");
  EXPECT_EQ(Verdict(fields_.List("list", 2)),
            code + "outer.list | outer.list has 3 items; at most 2 are allowed");
  EXPECT_EQ(Verdict(fields_.Object("list")),
            code + "outer.list | outer.list is a list; it must be an object");
}

TEST_F(RequestFieldsTest, LongValuesAreNotRepeated) {
  EXPECT_EQ(Verdict(fields_.String("long", 0, 9)),
            "invalid_argument outer.long | outer.long is a string of 1000 bytes; it must be a "
            "string of 0 to 9 bytes");
}

TEST(ParseRequestBody, TakesOneObjectInUtf8) {
  EXPECT_EQ(Verdict(ParseRequestBody("\xEF\xBB\xBF{\"a\": 1}")), "ok");
  const std::string start = "invalid_argument  | the body is ";
  EXPECT_EQ(Verdict(ParseRequestBody("")), start + "empty, it must be a JSON object");
  EXPECT_EQ(Verdict(ParseRequestBody("{]")),
            start + "not valid JSON in UTF-8: syntax error at byte 2");
  EXPECT_EQ(Verdict(ParseRequestBody("[1]")), start + "a list, it must be a JSON object");
  EXPECT_EQ(Verdict(ParseRequestBody("{\"a\": \"\xC4\xE3\"}")).substr(0, 60),
            (start + "not valid JSON in UTF-8: syntax error").substr(0, 60));
  EXPECT_NE(Verdict(ParseRequestBody("{\"a\": \"\\ud800\"}")), "ok");
  EXPECT_NE(Verdict(ParseRequestBody("{\"a\": \"\xC0\xAF\"}")), "ok");  // overlong
  EXPECT_NE(Verdict(ParseRequestBody("{\"secret-key\": sk-123}")).find("at byte"),
            std::string::npos);
  EXPECT_EQ(Verdict(ParseRequestBody("{\"secret-key\": sk-123}")).find("sk-"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_NE(Verdict(ParseRequestBody(deep)).find("nests deeper than 64"), std::string::npos);
}

TEST(ParseRequestBody, DuplicateKeysAndNulsAreNoTrouble) {
  EXPECT_EQ(ParseRequestBody("{\"a\": 1, \"a\": 2}").value().size(), 1u);
  EXPECT_EQ(ParseRequestBody("{\"a\": \"x\\u0000y\"}").value()["a"].get<std::string>().size(), 3u);
}

}  // namespace
}  // namespace ocelli::api
