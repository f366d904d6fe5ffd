#include "engine/chunk_pacer.h"

#include <algorithm>

namespace ocelli {

ChunkLimits ChunkPacer::Limits() const {
  return {LimitFor(options_.step_seconds, options_.prefill_chunk_tokens),
          LimitFor(options_.shared_step_seconds, options_.shared_prefill_chunk_tokens)};
}

void ChunkPacer::Report(size_t num_prompt_tokens, double seconds) {
  // A few tokens cost as much as the weights take to read, which says nothing about many.
  if (num_prompt_tokens < kMinChunkTokens) return;
  const double sample = seconds / static_cast<double>(num_prompt_tokens);
  seconds_per_token_ = knows_ ? 0.7 * seconds_per_token_ + 0.3 * sample : sample;
  knows_ = true;
}

size_t ChunkPacer::LimitFor(double wanted_seconds, size_t most_tokens) const {
  if (wanted_seconds == 0) return most_tokens;
  const size_t least = std::min(kMinChunkTokens, most_tokens);
  if (!knows_) return std::min(2 * least, most_tokens);
  const double tokens = wanted_seconds / std::max(seconds_per_token_, 1e-9);
  if (tokens >= static_cast<double>(most_tokens)) return most_tokens;
  return std::max(least, static_cast<size_t>(tokens));
}

}  // namespace ocelli
