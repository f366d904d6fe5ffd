#include "api/error_table.h"

#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxMessageBytes = 1000;
constexpr size_t kMaxParamBytes = 200;
constexpr int kFullRetryAfterS = 5;  // answers take seconds: a place comes free soon
constexpr int kUnavailableRetryAfterS = 10;

// One line of the table.
struct Row {
  int status;
  std::string_view type;
  std::string_view code;
  bool retry_can_help;
  int retry_after_s;  // 0: not said
};

constexpr std::string_view kInvalidRequest = "invalid_request_error";
constexpr std::string_view kServerError = "server_error";

constexpr Row kInvalidValue = {400, kInvalidRequest, "invalid_value", false, 0};
constexpr Row kUnsupportedValue = {400, kInvalidRequest, "unsupported_value", false, 0};
constexpr Row kContextExceeded = {400, kInvalidRequest, "context_length_exceeded", false, 0};
constexpr Row kOverLimit = {413, kInvalidRequest, "request_too_large", false, 0};
constexpr Row kBadPicture = {400, kInvalidRequest, "invalid_image", false, 0};
constexpr Row kModelNotFound = {404, kInvalidRequest, "model_not_found", false, 0};
constexpr Row kThingNotFound = {404, kInvalidRequest, "not_found", false, 0};
constexpr Row kFull = {503, kServerError, "overloaded", true, kFullRetryAfterS};
constexpr Row kNotReady = {503, kServerError, "unavailable", true, kUnavailableRetryAfterS};
constexpr Row kCancelledRow = {503, kServerError, "cancelled", true, kUnavailableRetryAfterS};
// The same request would fail the same way: answers are deterministic.
constexpr Row kInternalRow = {500, kServerError, "internal_error", false, 0};

// Whether `param` names a place in the content of messages: pictures stand there.
bool IsContentPart(std::string_view param) {
  const bool listed = param.starts_with("messages[") || param.starts_with("input[") ||
                      param.starts_with("picture") || param.starts_with("image");
  return listed && !param.ends_with(".role");
}

// Whether `param` names the prompt as a whole.
bool IsPrompt(std::string_view param) {
  return param == "prompt" || param == "messages" || param == "input" || param == "question";
}

Row RowOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return kInvalidValue;
    case ErrorCode::kUnsupported:
      return kUnsupportedValue;
    case ErrorCode::kTooLarge:
      return IsPrompt(error.param) ? kContextExceeded : kOverLimit;
    case ErrorCode::kNotFound:
      if (error.param == "model") return kModelNotFound;
      return IsContentPart(error.param) ? kBadPicture : kThingNotFound;
    case ErrorCode::kCorruptData:
      return kBadPicture;
    case ErrorCode::kIo:
      return IsContentPart(error.param) ? kBadPicture : kInternalRow;
    case ErrorCode::kResourceExhausted:
      return kFull;
    case ErrorCode::kCancelled:
      return kCancelledRow;
    case ErrorCode::kUnavailable:
      return kNotReady;
    case ErrorCode::kInternal:
      return kInternalRow;
  }
  return kInternalRow;
}

Json NullWhenEmpty(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(std::string(text));
}

std::string BodyOf(const Row& row, std::string_view message, std::string_view param) {
  Json error;
  error["message"] = Printable(message, kMaxMessageBytes);
  error["type"] = row.type;
  error["param"] = NullWhenEmpty(Printable(param, kMaxParamBytes));
  error["code"] = NullWhenEmpty(row.code);
  return Json{{"error", std::move(error)}}.dump();
}

ErrorResponse ResponseOf(const Row& row, std::string_view message, std::string_view param) {
  ErrorResponse response;
  response.status = row.status;
  response.body = BodyOf(row, message, param);
  response.retry_can_help = row.retry_can_help;
  if (row.retry_after_s > 0) response.retry_after_s = row.retry_after_s;
  return response;
}

std::string_view TypeOfStatus(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? kServerError : kInvalidRequest;
}

bool RetryCanHelp(int status) {
  return status == 408 || status == 409 || status == 429 || status > 500;
}

}  // namespace

ErrorResponse ErrorResponseOf(const Error& error) {
  return ResponseOf(RowOf(error), error.message, error.param);
}

ErrorResponse ErrorResponseOf(int status, std::string_view message, std::string_view code) {
  const int retry_after_s = status == 429 || status == 503 ? kUnavailableRetryAfterS : 0;
  return ResponseOf({status, TypeOfStatus(status), code, RetryCanHelp(status), retry_after_s},
                    message, "");
}

std::string ErrorJson(const Error& error) {
  return BodyOf(RowOf(error), error.message, error.param);
}

std::string_view ErrorCodeOf(const Error& error) { return RowOf(error).code; }

}  // namespace ocelli::api
