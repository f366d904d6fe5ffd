#ifndef OCELLI_ENGINE_PENALTIES_H_
#define OCELLI_ENGINE_PENALTIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/sampling_params.h"
#include "text/tokenizer.h"

namespace ocelli {

// The tokens that one sequence has seen, and what they do to its next logits. Keeps nothing when no
// penalty is asked for.
class Penalties {
 public:
  // `params` must outlive this.
  Penalties(const SamplingParams& params, std::span<const TokenId> prompt);

  // Counts a token of the answer.
  void Add(TokenId id);

  // Whether Apply changes anything.
  bool active() const { return counts_tokens_ || !params_.logit_bias.empty(); }

  // Changes `logits` [vocab_size] in the order that SamplingParams states.
  void Apply(std::span<float> logits) const;

 private:
  struct Seen {
    TokenId id = 0;
    uint32_t answer_count = 0;  // 0: only in the prompt
  };
  Seen& Find(TokenId id);
  void ApplyTo(const Seen& seen, float& logit) const;

  const SamplingParams& params_;
  bool counts_tokens_;
  std::vector<Seen> seen_;
  std::unordered_map<TokenId, size_t> index_;  // in seen_
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_PENALTIES_H_
