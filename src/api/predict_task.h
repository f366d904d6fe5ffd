#ifndef OCELLI_API_PREDICT_TASK_H_
#define OCELLI_API_PREDICT_TASK_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/reply.h"
#include "base/error.h"
#include "engine/request.h"

namespace ocelli::api {

// What became of one POST /predict, as GET /predict/{task_id} tells it. **Threads**: one at a time.
class PredictTask {
 public:
  // `context.id` is the task's id; its pictures may be set later, once they are loaded.
  explicit PredictTask(ReplyContext context) : context_(std::move(context)) {}

  void SetPictures(std::vector<PictureUse> pictures) { context_.pictures = std::move(pictures); }
  // Takes the request's events.
  void Collect(const Event& event);
  // Ends the task before the engine had it; kCancelled: its caller did.
  void Fail(const Error& error);
  // Says when the result will be forgotten. **Units**: Unix time, seconds.
  void SetExpiry(int64_t expires_at) { expires_at_ = expires_at; }

  const std::string& id() const { return context_.id; }
  // Whether nothing more will come.
  bool finished() const { return finished_.has_value() || error_.has_value(); }
  // {"task_id", "status", "progress", "text", "result", "error", ...}; see docs/api.md.
  std::string Json() const;

 private:
  std::string_view Status() const;
  nlohmann::ordered_json Progress() const;
  nlohmann::ordered_json ResultOrNull() const;
  nlohmann::ordered_json ErrorOrNull() const;

  ReplyContext context_;
  std::optional<Event> last_progress_;  // a QueuedEvent, EncodingEvent or PrefillEvent
  size_t num_tokens_ = 0;
  std::string reasoning_;
  std::string text_;
  ChoiceEvent end_;
  std::optional<FinishedEvent> finished_;
  std::optional<Error> error_;
  std::optional<int64_t> expires_at_;
};

}  // namespace ocelli::api

#endif  // OCELLI_API_PREDICT_TASK_H_
