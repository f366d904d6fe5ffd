#ifndef OCELLI_API_FINISH_REASON_H_
#define OCELLI_API_FINISH_REASON_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "engine/request.h"

namespace ocelli::api {

// Returns the nearest reason that clients know: "length" for a bound or a deadline, otherwise
// "stop". Others would break clients that check the value.
std::string_view StandardFinishReason(FinishReason reason);

// Returns what the standard reason does not say: {"reason": "deadline"}, {"reason": "loop",
// "loop_start_token"}; null for an ordinary end.
nlohmann::ordered_json FinishDetails(const ChoiceEvent& end);

// Returns why a request has no answer, or nothing when it has one. Unset: it has not finished.
std::optional<Error> FailureOf(const std::optional<FinishedEvent>& event);

}  // namespace ocelli::api

#endif  // OCELLI_API_FINISH_REASON_H_
