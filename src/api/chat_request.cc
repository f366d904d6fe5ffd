#include "api/chat_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/chat_messages.h"
#include "api/conversation_fields.h"
#include "api/request_fields.h"
#include "api/sampling_fields.h"
#include "api/unsupported_fields.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

// `best_of` draws more answers than it returns, which nobody does here.
Status CheckBestOf(const RequestFields& fields, size_t n) {
  OCELLI_ASSIGN_OR_RETURN(const auto best_of, fields.Integer("best_of", 1, INT64_MAX));
  if (!best_of || static_cast<size_t>(*best_of) <= n) return {};
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("best_of is {} and n is {}; best_of above n is not supported here", *best_of, n),
      "best_of"};
}

Status ReadStreamFields(const RequestFields& fields, ChatRequest& request) {
  OCELLI_ASSIGN_OR_RETURN(const auto stream, fields.Bool("stream"));
  request.call.stream = stream.value_or(false);
  OCELLI_ASSIGN_OR_RETURN(const Json* options, fields.Object("stream_options"));
  if (options == nullptr) return {};
  const RequestFields inner(*options, "stream_options.");
  OCELLI_ASSIGN_OR_RETURN(const auto usage, inner.Bool("include_usage"));
  OCELLI_ASSIGN_OR_RETURN(const auto progress, inner.Bool("include_progress"));
  request.include_usage = usage.value_or(false);
  request.include_progress = progress.value_or(false);
  return {};
}

}  // namespace

Result<ChatRequest> ParseChatRequest(std::string_view body, const RequestDefaults& defaults) {
  OCELLI_ASSIGN_OR_RETURN(Json object, ParseRequestBody(body));
  const RequestFields fields(object);
  ChatRequest request;
  OCELLI_RETURN_IF_ERROR(ReadModel(fields, defaults, request.call));
  OCELLI_RETURN_IF_ERROR(RefuseUnsupportedFields(fields));
  OCELLI_RETURN_IF_ERROR(RefuseTools(fields));
  OCELLI_RETURN_IF_ERROR(RefuseFormat(fields, "response_format"));
  OCELLI_ASSIGN_OR_RETURN(request.call.params, ReadSamplingFields(fields, defaults));
  OCELLI_RETURN_IF_ERROR(CheckBestOf(fields, request.call.params.n));
  OCELLI_RETURN_IF_ERROR(ReadStreamFields(fields, request));
  OCELLI_RETURN_IF_ERROR(ReadTimeout(fields, request.call));
  OCELLI_RETURN_IF_ERROR(
      ReadMessages(fields, TakeField(object, "messages"), defaults, request.call));
  return request;
}

}  // namespace ocelli::api
