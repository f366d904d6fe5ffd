#include "engine/live_request.h"

#include <algorithm>
#include <utility>

#include "engine/random.h"

namespace ocelli {
LiveRequest::LiveRequest(AcceptedRequest accepted, const Tokenizer& tokenizer,
                         size_t max_draft_tokens)
    : id_(accepted.id),
      input_(std::move(accepted.request)),
      prompt_(std::move(accepted.prompt)),
      sink_(std::move(accepted.sink)),
      submitted_(accepted.submitted) {
  const uint64_t seed = input_.params.seed.value_or(RandomSeed());
  for (size_t choice = 0; choice < input_.params.n; ++choice) {
    const uint64_t order = id_ * kMaxChoices + choice;
    answers_.push_back(std::make_unique<Answer>(*this, prompt_, input_, tokenizer, seed, choice,
                                                order, accepted.max_tokens, max_draft_tokens));
  }
  usage_.prompt_tokens = prompt_->token_ids.size();
  usage_.image_tokens = prompt_->num_image_tokens();
}

void LiveRequest::SendQueued(size_t position) {
  if (queue_position_ == position) return;
  queue_position_ = position;
  sink_(QueuedEvent{position});
}

void LiveRequest::SendEncoding(const PictureRun& run, size_t done_steps, size_t num_steps) {
  const auto picture = static_cast<size_t>(&run - prompt_->runs.data());
  sink_(EncodingEvent{picture, prompt_->runs.size(), done_steps, num_steps});
}

void LiveRequest::SendPrefill(const Answer& answer) {
  // Once the first token is out, other choices and preempted ones read silently.
  if (answer.choice() != 0 || first_token_) return;
  sink_(PrefillEvent{answer.num_computed, prompt_->token_ids.size()});
}

void LiveRequest::SendToken(TokenEvent event, TimePoint now) {
  if (!first_token_) first_token_ = now;
  ++usage_.completion_tokens;
  usage_.reasoning_tokens += event.is_reasoning;
  sink_(std::move(event));
}

void LiveRequest::Started(Answer& answer, TimePoint now) {
  if (!first_work_) first_work_ = now;
  if (answer.choice() == 0 && !answer.started) usage_.cached_tokens = answer.num_computed;
  answer.started = true;
  if (answer.num_computed > 0) SendPrefill(answer);
}

void LiveRequest::FinishAnswer(Answer& answer, FinishReason reason,
                               std::optional<size_t> loop_start_token) {
  const size_t choice = answer.choice();
  const bool ends_request = reason == FinishReason::kCancelled ||
                            reason == FinishReason::kDeadline || reason == FinishReason::kError;
  if (choice == 0 || ends_request) reason_ = reason;
  AnswerPiece rest = answer.FinishText();
  sink_(ChoiceEvent{choice, reason, std::move(rest.text), loop_start_token,
                    std::move(rest.reasoning)});
  std::erase_if(answers_, [&answer](const auto& owned) { return owned.get() == &answer; });
}

void LiveRequest::Finish(std::optional<Error> error, TimePoint now) {
  const TimePoint work = first_work_.value_or(now);
  const TimePoint token = first_token_.value_or(now);
  times_.queued = Seconds(submitted_, work);
  times_.prefill = std::max(0.0, Seconds(work, token) - times_.encoding);
  times_.decode = Seconds(token, now);
  if (first_token_) times_.first_token = Seconds(submitted_, *first_token_);
  times_.total = Seconds(submitted_, now);
  sink_(FinishedEvent{reason_, std::move(error), usage_, times_});
}

}  // namespace ocelli
