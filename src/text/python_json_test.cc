#include "text/python_json.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

// The expected texts are what json.dumps(json.loads(text), ensure_ascii=False) gives.
TEST(PythonJson, RewritesInPythonsForm) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"b":1,"a":[true,false,null]})", R"({"b": 1, "a": [true, false, null]})"},
      {" { } ", "{}"},
      {"[ ]", "[]"},
      {"[[],{},[1]]", "[[], {}, [1]]"},
      {R"({"a":{"b":{}},"c":2})", R"({"a": {"b": {}}, "c": 2})"},
      {R"("天气 <b> \u00e9\u0007\n\"\\\/\u007f")", "\"天气 <b> \u00e9\\u0007\\n\\\"\\\\/\u007f\""},
      {R"("\ud83d\ude00\b\f\r\t")", "\"\U0001F600\\b\\f\\r\\t\""},
      {"[1.0,2.5,-0.0,1e2,0.1]", "[1.0, 2.5, -0.0, 100.0, 0.1]"},
      {"[1e16,123456789012345678.0,9999999999999998.0]",
       "[1e+16, 1.2345678901234568e+17, 9999999999999998.0]"},
      {"[0.0001,0.00001,1.5e-7,5e-324,1e300]", "[0.0001, 1e-05, 1.5e-07, 5e-324, 1e+300]"},
      {"[-9223372036854775808,18446744073709551615]",
       "[-9223372036854775808, 18446744073709551615]"},
      {"[123456789012345678901234567890,-0]", "[123456789012345678901234567890, 0]"},
      {"7", "7"},
  };
  for (const auto& [json, expected] : cases) {
    const Result<std::string> rewritten = ToPythonJson(json);
    ASSERT_TRUE(rewritten.ok()) << json << rewritten.error().message;
    EXPECT_EQ(*rewritten, expected);
  }
}

TEST(PythonJson, RefusesWhatIsNotJson) {
  for (const std::string json :
       {"", "{", "{\"a\":}", "[1] 2", "nan", "1e999", "\"\xFF\"", "\"\\ud800\""}) {
    const Result<std::string> rewritten = ToPythonJson(json);
    ASSERT_FALSE(rewritten.ok()) << json;
    EXPECT_EQ(rewritten.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(rewritten.error().message.find("not JSON"), std::string::npos)
        << rewritten.error().message;
  }
}

TEST(PythonJson, RefusesDeepNesting) {
  const std::string deep = std::string(128, '[') + std::string(128, ']');
  EXPECT_EQ(*ToPythonJson(deep), deep);
  const Result<std::string> rewritten = ToPythonJson(std::string(100000, '['));
  ASSERT_FALSE(rewritten.ok());
  EXPECT_NE(rewritten.error().message.find("128 levels"), std::string::npos);
}

}  // namespace
}  // namespace ocelli
