#include "api/finish_reason.h"

#include <nlohmann/json.hpp>

namespace ocelli::api {

using Json = nlohmann::ordered_json;

std::string_view StandardFinishReason(FinishReason reason) {
  const bool cut = reason == FinishReason::kLength || reason == FinishReason::kDeadline;
  return cut ? "length" : "stop";
}

Json FinishDetails(const ChoiceEvent& end) {
  if (end.reason == FinishReason::kStop || end.reason == FinishReason::kLength) return nullptr;
  Json details = {{"reason", FinishReasonName(end.reason)}};
  if (end.loop_start_token) details["loop_start_token"] = *end.loop_start_token;
  return details;
}

std::optional<Error> FailureOf(const std::optional<FinishedEvent>& event) {
  if (!event) return Error{ErrorCode::kInternal, "the request has not finished", ""};
  if (event->reason == FinishReason::kCancelled) {
    return Error{ErrorCode::kCancelled, "the request was cancelled before its answer was complete",
                 ""};
  }
  if (event->reason != FinishReason::kError) return std::nullopt;
  return event->error.value_or(
      Error{ErrorCode::kInternal, "the request failed inside the engine", ""});
}

}  // namespace ocelli::api
