#include "engine/penalties.h"

namespace ocelli {

Penalties::Penalties(const SamplingParams& params, std::span<const TokenId> prompt)
    : params_(params),
      counts_tokens_(params.repetition_penalty != 1.0f || params.presence_penalty != 0.0f ||
                     params.frequency_penalty != 0.0f) {
  if (params.repetition_penalty == 1.0f) return;
  for (const TokenId id : prompt) Find(id);
}

void Penalties::Add(TokenId id) {
  if (counts_tokens_) ++Find(id).answer_count;
}

void Penalties::Apply(std::span<float> logits) const {
  for (const auto& [id, bias] : params_.logit_bias) logits[static_cast<size_t>(id)] += bias;
  for (const Seen& seen : seen_) {
    // A prompt may hold ids that the model has no logit for.
    const auto id = static_cast<size_t>(seen.id);
    if (id < logits.size()) ApplyTo(seen, logits[id]);
  }
}

Penalties::Seen& Penalties::Find(TokenId id) {
  const auto [found, is_new] = index_.try_emplace(id, seen_.size());
  if (is_new) seen_.push_back({id, 0});
  return seen_[found->second];
}

void Penalties::ApplyTo(const Seen& seen, float& logit) const {
  logit = logit > 0.0f ? logit / params_.repetition_penalty : logit * params_.repetition_penalty;
  if (seen.answer_count == 0) return;
  logit -= params_.frequency_penalty * static_cast<float>(seen.answer_count);
  logit -= params_.presence_penalty;
}

}  // namespace ocelli
