#include "base/json.h"

#include <string>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

std::string FaultOf(std::string_view text) {
  const Result<nlohmann::json> parsed = ParseJson(text);
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(ParseJson, ReadsAnyValueAndSkipsAByteOrderMark) {
  EXPECT_EQ(*ParseJson("\xEF\xBB\xBF{\"a\": [1]}"), nlohmann::json({{"a", {1}}}));
  EXPECT_EQ(*ParseJson("\"text\""), "text");
}

TEST(ParseJson, SaysWhatIsWrongAndNothingOfTheText) {
  EXPECT_EQ(FaultOf("{\"key\": secret}"), "syntax error at byte 9");
  EXPECT_EQ(FaultOf(""), "syntax error at byte 1");
  EXPECT_EQ(FaultOf("1e999"), "a number is out of range");
  EXPECT_NE(FaultOf("[\"\xFF\"]"), "");
  EXPECT_NE(FaultOf("[\"\\ud800\"]"), "");
}

TEST(ParseJson, RefusesDeepNestingBeforeItParses) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(64)).ok());
  EXPECT_EQ(FaultOf(nested(65)), "it nests deeper than 64 levels");
  EXPECT_EQ(FaultOf(std::string(1'000'000, '[')), "it nests deeper than 64 levels");
}

TEST(ParseJson, BracketsInsideStringsDoNotNest) {
  EXPECT_TRUE(ParseJson("\"" + std::string(1000, '[') + "\\\"[\"").ok());
}

TEST(ParseOrderedJson, KeepsTheOrderOfKeys) {
  EXPECT_EQ(ParseOrderedJson(R"({"b": 1, "a": {"d": 2, "c": 3}})")->dump(),
            R"({"b":1,"a":{"d":2,"c":3}})");
}

TEST(ParseOrderedJson, ReadsEveryKindOfValueWhereItStands) {
  const std::string text =
      R"({"a":[null,true,-1,18446744073709551615,0.5,"x",[],{}],"b":{"c":[[{"d":"\u00e9\n"}],2]}})";
  EXPECT_EQ(*ParseOrderedJson(text), nlohmann::ordered_json::parse(text));
  EXPECT_EQ(*ParseJson(text), nlohmann::json::parse(text));
  EXPECT_EQ(ParseOrderedJson(R"({"a":[1],"b":2,"a":3})")->dump(), R"({"a":3,"b":2})");
  EXPECT_FALSE(ParseOrderedJson("[1] 2").ok());
}

TEST(ParseOrderedJson, LongStringsAreWhatStandsInTheText) {
  const std::string plain(70'000, 'A');
  const std::string escaped = plain + "\\/" + plain;
  const std::string accented = plain + "\u00e9";
  const std::string text = R"({"x":[")" + plain + R"(","","b",")" + escaped + R"(",")" + accented +
                           R"(",")" + plain + R"(!"],")" + plain + R"(":")" + plain + R"(?"})";
  const auto parsed = ParseOrderedJson(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_TRUE(*parsed == nlohmann::ordered_json::parse(text));
  EXPECT_TRUE(*ParseJson(text) == nlohmann::json::parse(text));
}

TEST(ParseOrderedJson, FaultsBesideLongStringsAreWhereTheyAre) {
  const std::string plain(70'000, 'A');
  const auto fault = [](const std::string& text) { return ParseOrderedJson(text).error().message; };
  EXPECT_EQ(fault("[x,\"" + plain + "\"]"), "syntax error at byte 2");
  EXPECT_EQ(fault("[\"" + plain + "\",x]"), "syntax error at byte 70005");
  EXPECT_EQ(fault("[\"" + plain + "\",\"" + plain + "\"x]"), "syntax error at byte 140007");
  EXPECT_EQ(fault("[\"" + plain), "syntax error at byte 70003");
  EXPECT_NE(fault("[\"" + plain + "\n\"]"), "");
  EXPECT_NE(fault("[\"" + plain + "\xff\"]"), "");
}

TEST(ParseOrderedJson, RefusesMoreValuesOrKeysThanItsLimitsBeforeItParses) {
  const auto fault = [](const std::string& text) {
    const auto parsed = ParseOrderedJson(text);
    return parsed.ok() ? "" : parsed.error().message;
  };
  const auto list = [](size_t num_values) {
    std::string text = "[";
    for (size_t i = 1; i < num_values; ++i) text += "0,";
    return text + "0]";
  };
  EXPECT_EQ(fault(list(kMaxJsonValues - 1)), "");
  EXPECT_EQ(fault(list(kMaxJsonValues)), "it has more than 100000 values");
  const auto object = [](size_t num_keys) {
    std::string text = "{\"x\":[{\"y\":\"::::\"}]";
    for (size_t i = 1; i < num_keys; ++i) text += ",\"" + std::to_string(i) + "\":0";
    return text + "}";
  };
  EXPECT_EQ(fault(object(kMaxJsonKeys)), "");
  EXPECT_EQ(fault(object(kMaxJsonKeys + 1)), "an object has more than 2048 keys");
  EXPECT_EQ(fault("]]]]:::,,,"), "syntax error at byte 1");
  EXPECT_EQ(fault(std::string(100, '[') + ":"), "it nests deeper than 64 levels");
}

TEST(JsonTypeName, NamesEveryTypeWithItsArticle) {
  EXPECT_EQ(JsonTypeName(*ParseJson("null")), "null");
  EXPECT_EQ(JsonTypeName(*ParseJson("{}")), "an object");
  EXPECT_EQ(JsonTypeName(*ParseJson("[]")), "a list");
  EXPECT_EQ(JsonTypeName(*ParseJson("\"\"")), "a string");
  EXPECT_EQ(JsonTypeName(*ParseJson("true")), "true or false");
  EXPECT_EQ(JsonTypeName(*ParseJson("-1.5")), "a number");
}

}  // namespace
}  // namespace ocelli
