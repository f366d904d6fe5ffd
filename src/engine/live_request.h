#ifndef OCELLI_ENGINE_LIVE_REQUEST_H_
#define OCELLI_ENGINE_LIVE_REQUEST_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/answer.h"
#include "engine/engine.h"
#include "engine/prompt_content.h"
#include "engine/request.h"

namespace ocelli {

using TimePoint = std::chrono::steady_clock::time_point;

inline double Seconds(TimePoint begin, TimePoint end) {
  return std::chrono::duration<double>(end - begin).count();
}

// A request that was checked and has everything it needs, on its way to the engine thread.
struct AcceptedRequest {
  RequestId id = 0;
  GenerateRequest request;
  std::shared_ptr<const PromptContent> prompt;
  size_t max_tokens = 0;  // prompt and answer, within context and memory
  EventSink sink;
  TimePoint submitted;
};

// A request being answered: its answers, its sink and its account.
class LiveRequest {
 public:
  // `tokenizer` must outlive this.
  LiveRequest(AcceptedRequest accepted, const Tokenizer& tokenizer, size_t max_draft_tokens);
  LiveRequest(const LiveRequest&) = delete;
  LiveRequest& operator=(const LiveRequest&) = delete;

  RequestId id() const { return id_; }
  const std::string& name() const { return input_.name; }
  const PromptContent& prompt() const { return *prompt_; }
  bool HasExpired(TimePoint now) const { return input_.deadline && now >= *input_.deadline; }
  // Whether no answer has begun to run.
  bool IsQueued() const { return !first_work_.has_value(); }

  // Answers that have not ended, by choice.
  const std::vector<std::unique_ptr<Answer>>& answers() const { return answers_; }

  void SendQueued(size_t position);
  void SendEncoding(const PictureRun& run, size_t done_steps, size_t num_steps);
  // Tells how much of the prompt `answer` has read.
  void SendPrefill(const Answer& answer);
  void SendToken(TokenEvent event, TimePoint now);

  // Notes that `answer` runs, for the first time or again, with its matched prefix computed.
  void Started(Answer& answer, TimePoint now);
  void AddEncoding(double seconds) { times_.encoding += seconds; }
  void CountEncodedPicture() { ++usage_.pictures_encoded; }

  // Ends one answer: sends its ChoiceEvent and destroys it. Its blocks must be released.
  void FinishAnswer(Answer& answer, FinishReason reason, std::optional<size_t> loop_start_token);
  // Sends the FinishedEvent; no answer may be left.
  void Finish(std::optional<Error> error, TimePoint now);

  const Usage& usage() const { return usage_; }
  FinishReason reason() const { return reason_; }

 private:
  RequestId id_;
  GenerateRequest input_;
  std::shared_ptr<const PromptContent> prompt_;
  EventSink sink_;
  std::vector<std::unique_ptr<Answer>> answers_;
  FinishReason reason_ = FinishReason::kStop;  // see FinishedEvent
  Usage usage_;
  StageTimes times_;
  TimePoint submitted_;
  std::optional<TimePoint> first_work_;
  std::optional<TimePoint> first_token_;
  std::optional<size_t> queue_position_;  // last sent
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_LIVE_REQUEST_H_
