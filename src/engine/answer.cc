#include "engine/answer.h"

#include <algorithm>
#include <utility>

#include "engine/random.h"

namespace ocelli {

Answer::Answer(LiveRequest& request, std::shared_ptr<const PromptContent> prompt,
               const GenerateRequest& input, const Tokenizer& tokenizer, uint64_t seed,
               size_t choice, uint64_t order, size_t max_tokens, size_t max_draft_tokens)
    : Sequence(std::move(prompt), order, max_tokens, max_draft_tokens),
      request_(request),
      params_(input.params),
      choice_(choice),
      seed_(seed),
      penalties_(params_, this->prompt().token_ids),
      text_(tokenizer, params_.stop, input.reasoning_end_token_id) {}

Result<Answer::Next> Answer::Write(std::span<const float> logits,
                                   std::span<const TokenId> eos_token_ids, Sampler& sampler) {
  const double uniform = TokenUniform(seed_, static_cast<uint32_t>(choice_), num_answer_tokens());
  OCELLI_ASSIGN_OR_RETURN(const TokenId id, sampler.Sample(logits, params_, penalties_, uniform));
  AppendToken(id);
  penalties_.Add(id);
  Next next;
  AnswerPiece piece = text_.Push(id);
  next.event = {choice_,           id, std::move(piece.text),
                std::nullopt,      {}, std::move(piece.reasoning),
                piece.is_reasoning};
  if (params_.logprobs) {
    next.event.logprob = TokenLogprob{id, LogProbability(logits, id)};
    if (params_.top_logprobs > 0) {
      next.event.top_logprobs = TopLogProbabilities(logits, params_.top_logprobs);
    }
  }
  if (params_.loop_guard) next.loop_start_token = loop_guard_.Push(answer());
  next.reason = ReasonToStop(id, eos_token_ids, next.loop_start_token.has_value());
  return next;
}

std::optional<FinishReason> Answer::ReasonToStop(TokenId id, std::span<const TokenId> eos_token_ids,
                                                 bool loops) const {
  const bool is_eos =
      std::find(eos_token_ids.begin(), eos_token_ids.end(), id) != eos_token_ids.end();
  if ((is_eos && !params_.ignore_eos) || text_.stopped()) return FinishReason::kStop;
  if (loops) return FinishReason::kLoop;
  if (num_tokens() >= max_tokens()) return FinishReason::kLength;
  return std::nullopt;
}

}  // namespace ocelli
