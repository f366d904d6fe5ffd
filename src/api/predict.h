#ifndef OCELLI_API_PREDICT_H_
#define OCELLI_API_PREDICT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/generation_call.h"
#include "api/reply.h"
#include "api/request_defaults.h"
#include "base/error.h"
#include "engine/request.h"

namespace ocelli::api {

// The longest answer of POST /predict when nothing is said: a page of text.
inline constexpr size_t kPredictMaxNewTokens = 1024;

// Parses the body of POST /predict into a call with one user turn, its pictures first: JSON
// (`content_type` application/json or none) or multipart/form-data. docs/api.md lists the fields.
// The answer is greedy and guarded against endless repetition unless the caller says otherwise.
// **Errors**: kInvalidArgument, kUnsupported, kTooLarge with the field as `param`. **Threads**:
// any.
Result<GenerationCall> ParsePredictRequest(std::string_view content_type, std::string_view body,
                                           const RequestDefaults& defaults);

// What became of one POST /predict, as GET /predict/{task_id} tells it. **Threads**: one at a time.
class PredictTask {
 public:
  // `context.id` is the task's id; its pictures may be set later, once they are loaded.
  explicit PredictTask(ReplyContext context) : context_(std::move(context)) {}

  void SetPictures(std::vector<PictureUse> pictures) { context_.pictures = std::move(pictures); }
  // Takes the request's events.
  void Collect(const Event& event);
  // Ends the task before the engine had it.
  void Fail(const Error& error);
  // Says when the result will be forgotten. **Units**: Unix time, seconds.
  void SetExpiry(int64_t expires_at) { expires_at_ = expires_at; }

  const std::string& id() const { return context_.id; }
  // Whether nothing more will come.
  bool finished() const;
  // {"task_id", "status", "position", "progress", "result", "error", ...}
  std::string Json() const;

 private:
  enum class State {
    kLoading,
    kQueued,
    kEncoding,
    kPrefill,
    kDecoding,
    kDone,
    kFailed,
    kCancelled
  };

  ReplyContext context_;
  State state_ = State::kLoading;
  size_t position_ = 0;
  EncodingEvent encoding_;
  PrefillEvent prefill_;
  size_t num_tokens_ = 0;
  std::string text_;
  std::optional<ChoiceEvent> end_;
  std::optional<FinishedEvent> finished_;
  std::optional<Error> error_;
  std::optional<int64_t> expires_at_;
};

}  // namespace ocelli::api

#endif  // OCELLI_API_PREDICT_H_
