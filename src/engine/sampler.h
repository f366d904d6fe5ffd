#ifndef OCELLI_ENGINE_SAMPLER_H_
#define OCELLI_ENGINE_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/penalties.h"
#include "engine/request.h"
#include "engine/sampling_params.h"

namespace ocelli {

// Chooses tokens from logits, as SamplingParams states. Holds scratch only: what a choice depends
// on are its arguments. **Threads**: one at a time.
class Sampler {
 public:
  explicit Sampler(size_t vocab_size);

  // Returns the next token. `uniform` in [0, 1) decides among what is left; temperature 0 ignores
  // it.
  // **Shapes**: logits [vocab_size]. **Errors**: kInternal when a logit is not finite.
  Result<TokenId> Sample(std::span<const float> logits, const SamplingParams& params,
                         const Penalties& penalties, double uniform);

 private:
  struct Candidate {
    float logit = 0;
    TokenId id = 0;
  };
  // Orders a heap whose top is the likeliest, the lowest id among equals.
  struct LessLikely {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.logit != b.logit ? a.logit < b.logit : a.id > b.id;
    }
  };
  TokenId Draw(std::span<const float> logits, const SamplingParams& params, float max_logit,
               double uniform);
  // Sorts only as far as is asked: Ranked(0) is the likeliest token.
  void StartRanking(std::span<const float> logits);
  const Candidate& Ranked(size_t rank);

  std::vector<float> adjusted_;    // [vocab_size] logits after penalties
  std::vector<Candidate> heap_;    // not ranked yet
  std::vector<Candidate> ranked_;  // likeliest first
};

// The largest logit; the lowest id among equals.
struct Argmax {
  TokenId id = 0;
  float logit = 0;
};
// Returns it, or nothing when a logit is not finite. **Shapes**: logits [vocab_size], not empty.
std::optional<Argmax> FindArgmax(std::span<const float> logits);

// Returns log softmax(logits)[id], in double precision inside.
float LogProbability(std::span<const float> logits, TokenId id);

// Returns log softmax of the `count` likeliest tokens, likeliest first.
std::vector<TokenLogprob> TopLogProbabilities(std::span<const float> logits, size_t count);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_SAMPLER_H_
