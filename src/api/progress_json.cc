#include "api/progress_json.h"

#include <nlohmann/json.hpp>

namespace ocelli::api {

using Json = nlohmann::ordered_json;

Json ProgressJson(const QueuedEvent& event) {
  return Json{{"phase", "queue"}, {"position", event.position}};
}

Json ProgressJson(const EncodingEvent& event) {
  return Json{{"phase", "encode"},
              {"picture", event.picture + 1},
              {"pictures", event.num_pictures},
              {"layer", event.layer},
              {"layers", event.num_layers}};
}

Json ProgressJson(const PrefillEvent& event) {
  return Json{{"phase", "prefill"},
              {"done_tokens", event.done_tokens},
              {"total_tokens", event.total_tokens}};
}

}  // namespace ocelli::api
