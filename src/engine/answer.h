#ifndef OCELLI_ENGINE_ANSWER_H_
#define OCELLI_ENGINE_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/answer_text.h"
#include "engine/loop_guard.h"
#include "engine/penalties.h"
#include "engine/request.h"
#include "engine/sampler.h"
#include "engine/sequence.h"

namespace ocelli {

class LiveRequest;

// One answer being written: its sequence, and everything that decides its next token and its end.
class Answer : public Sequence {
 public:
  // `request`, `input` and `tokenizer` must outlive this.
  Answer(LiveRequest& request, std::shared_ptr<const PromptContent> prompt,
         const GenerateRequest& input, const Tokenizer& tokenizer, uint64_t seed, size_t choice,
         uint64_t order, size_t max_tokens, size_t max_draft_tokens);

  LiveRequest& request() const { return request_; }
  size_t choice() const { return choice_; }
  bool started = false;  // has been running before

  // Chooses the next token from `logits`, appends it and says what happened; `reason` is set when
  // it was the last. **Errors**: as Sampler::Sample.
  struct Next {
    TokenEvent event;
    std::optional<FinishReason> reason;
    std::optional<size_t> loop_start_token;
  };
  Result<Next> Write(std::span<const float> logits, std::span<const TokenId> eos_token_ids,
                     Sampler& sampler);

  // Returns the text that was held back, when the answer ends.
  AnswerPiece FinishText() { return text_.Finish(); }

 private:
  std::optional<FinishReason> ReasonToStop(TokenId id, std::span<const TokenId> eos_token_ids,
                                           bool loops) const;

  LiveRequest& request_;
  const SamplingParams& params_;
  size_t choice_;
  uint64_t seed_;
  Penalties penalties_;
  AnswerText text_;
  LoopGuard loop_guard_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_ANSWER_H_
