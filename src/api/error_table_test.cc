#include "api/error_table.h"

#include <string>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

ErrorResponse ResponseTo(ErrorCode code, std::string param = "") {
  return ErrorResponseOf(Error{code, "a message", std::move(param)});
}

std::string CodeOf(const ErrorResponse& response) {
  return MustParse(response.body)["error"]["code"];
}

TEST(ErrorTable, MapsEveryCodeToAStatusAndACode) {
  const auto row = [](ErrorCode code, std::string param) {
    const ErrorResponse response = ResponseTo(code, std::move(param));
    return std::to_string(response.status) + " " + CodeOf(response) +
           (response.retry_can_help ? " retry" : "") + (response.retry_after_s ? " after" : "");
  };
  EXPECT_EQ(row(ErrorCode::kInvalidArgument, "top_p"), "400 invalid_value");
  EXPECT_EQ(row(ErrorCode::kUnsupported, "tools"), "400 unsupported_value");
  EXPECT_EQ(row(ErrorCode::kTooLarge, "prompt"), "400 context_length_exceeded");
  EXPECT_EQ(row(ErrorCode::kTooLarge, "messages"), "400 context_length_exceeded");
  EXPECT_EQ(row(ErrorCode::kTooLarge, "input"), "400 context_length_exceeded");
  EXPECT_EQ(row(ErrorCode::kTooLarge, "question"), "400 context_length_exceeded");
  EXPECT_EQ(row(ErrorCode::kTooLarge, "messages[0].content[1]"), "413 request_too_large");
  EXPECT_EQ(row(ErrorCode::kTooLarge, "body"), "413 request_too_large");
  EXPECT_EQ(row(ErrorCode::kNotFound, "model"), "404 model_not_found");
  EXPECT_EQ(row(ErrorCode::kNotFound, ""), "404 not_found");
  EXPECT_EQ(row(ErrorCode::kNotFound, "messages[0].content[1]"), "400 invalid_image");
  EXPECT_EQ(row(ErrorCode::kCorruptData, "pictures[0]"), "400 invalid_image");
  EXPECT_EQ(row(ErrorCode::kIo, "input[0].content[1]"), "400 invalid_image");
  EXPECT_EQ(row(ErrorCode::kIo, ""), "500 internal_error");
  EXPECT_EQ(row(ErrorCode::kResourceExhausted, ""), "503 overloaded retry after");
  EXPECT_EQ(row(ErrorCode::kUnavailable, ""), "503 unavailable retry after");
  EXPECT_EQ(row(ErrorCode::kCancelled, ""), "503 cancelled retry after");
  EXPECT_EQ(row(ErrorCode::kInternal, ""), "500 internal_error");
}

TEST(ErrorTable, BodyHasExactlyTheFourFieldsOfOpenAi) {
  EXPECT_EQ(ResponseTo(ErrorCode::kInvalidArgument, "top_p").body,
            R"({"error":{"message":"a message","type":"invalid_request_error","param":"top_p",)"
            R"("code":"invalid_value"}})");
  EXPECT_EQ(MustParse(ResponseTo(ErrorCode::kInternal).body)["error"]["param"], nullptr);
  EXPECT_EQ(ErrorJson(Error{ErrorCode::kInternal, "m", ""}),
            R"({"error":{"message":"m","type":"server_error","param":null,)"
            R"("code":"internal_error"}})");
}

TEST(ErrorTable, StatusesOfHttpAlone) {
  const auto response = ErrorResponseOf(401, "the key is wrong", "invalid_api_key");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.body,
            R"({"error":{"message":"the key is wrong","type":"authentication_error",)"
            R"("param":null,"code":"invalid_api_key"}})");
  EXPECT_FALSE(response.retry_can_help);
  EXPECT_EQ(MustParse(ErrorResponseOf(405, "m", "").body)["error"]["code"], nullptr);
  EXPECT_EQ(MustParse(ErrorResponseOf(403, "m", "").body)["error"]["type"], "permission_error");
  for (const int status : {408, 409, 429, 503}) {
    EXPECT_TRUE(ErrorResponseOf(status, "m", "").retry_can_help) << status;
  }
  for (const int status : {400, 404, 413, 415, 422, 431, 500}) {
    EXPECT_FALSE(ErrorResponseOf(status, "m", "").retry_can_help) << status;
  }
  EXPECT_TRUE(ErrorResponseOf(429, "m", "").retry_after_s.has_value());
}

TEST(ErrorTable, IsJsonInUtf8WhateverTheMessageHolds) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const Error error{ErrorCode::kCorruptData, bytes + "\xC4\xE3\xED\xA0\x80", "\xFF\"\n"};
  const auto body = MustParse(ErrorResponseOf(error).body);
  EXPECT_TRUE(body["error"]["message"].is_string());
  EXPECT_EQ(ErrorJson(error).find('\n'), std::string::npos);
}

TEST(ErrorTable, LongMessagesAreCut) {
  const Error error{ErrorCode::kIo, std::string(1 << 20, 'x'), std::string(1 << 20, 'y')};
  EXPECT_LT(ErrorJson(error).size(), 1500u);
}

}  // namespace
}  // namespace ocelli::api
