#ifndef OCELLI_API_PROGRESS_JSON_H_
#define OCELLI_API_PROGRESS_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "engine/request.h"

namespace ocelli::api {

// Return how far a request is, for people who wait: {"phase": "queue", "position"},
// {"phase": "encode", "picture", "pictures", "layer", "layers"} (pictures count from 1) and
// {"phase": "prefill", "done_tokens", "total_tokens"}.
nlohmann::ordered_json ProgressJson(const QueuedEvent& event);
nlohmann::ordered_json ProgressJson(const EncodingEvent& event);
nlohmann::ordered_json ProgressJson(const PrefillEvent& event);

}  // namespace ocelli::api

#endif  // OCELLI_API_PROGRESS_JSON_H_
