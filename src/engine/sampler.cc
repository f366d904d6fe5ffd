#include "engine/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"

namespace ocelli {
namespace {

// Returns the sum of exp((logit - max_logit) / temperature).
double SumOfWeights(std::span<const float> logits, double max_logit, double temperature) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp((logit - max_logit) / temperature);
  return sum;
}

double LogSumExp(std::span<const float> logits, double max_logit) {
  return max_logit + std::log(SumOfWeights(logits, max_logit, 1.0));
}

Argmax Better(const Argmax& a, const Argmax& b) {
  const bool b_wins = b.logit > a.logit || (b.logit == a.logit && b.id < a.id);
  return b_wins ? b : a;
}

}  // namespace

std::optional<Argmax> FindArgmax(std::span<const float> logits) {
  // Eight independent columns, so that the compiler can use vector registers.
  constexpr size_t kLanes = 8;
  std::array<float, kLanes> best;
  std::array<TokenId, kLanes> where{};
  std::array<float, kLanes> not_finite{};  // x - x is 0 for finite x and NaN for all others
  best.fill(-std::numeric_limits<float>::infinity());
  const size_t whole = logits.size() / kLanes * kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const float logit = logits[i + lane];
      const bool better = logit > best[lane];
      best[lane] = better ? logit : best[lane];
      where[lane] = better ? static_cast<TokenId>(i + lane) : where[lane];
      not_finite[lane] += logit - logit;
    }
  }
  Argmax result{0, -std::numeric_limits<float>::infinity()};
  float bad = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (whole > 0) result = Better(result, {where[lane], best[lane]});
    bad += not_finite[lane];
  }
  for (size_t i = whole; i < logits.size(); ++i) {
    result = Better(result, {static_cast<TokenId>(i), logits[i]});
    bad += logits[i] - logits[i];
  }
  if (bad != 0.0f) return std::nullopt;
  return result;
}

Sampler::Sampler(size_t vocab_size) : adjusted_(vocab_size) {
  heap_.reserve(vocab_size);
  ranked_.reserve(vocab_size);
}

Result<TokenId> Sampler::Sample(std::span<const float> logits, const SamplingParams& params,
                                const Penalties& penalties, double uniform) {
  OCELLI_CHECK(logits.size() == adjusted_.size(), "{} logits of {}", logits.size(),
               adjusted_.size());
  if (penalties.active()) {
    std::copy(logits.begin(), logits.end(), adjusted_.begin());
    penalties.Apply(adjusted_);
    logits = adjusted_;
  }
  const auto best = FindArgmax(logits);
  if (!best) {
    return Error{ErrorCode::kInternal, "the model computed a logit that is not a finite number",
                 ""};
  }
  if (params.temperature == 0.0f) return best->id;
  return Draw(logits, params, best->logit, uniform);
}

TokenId Sampler::Draw(std::span<const float> logits, const SamplingParams& params, float max_logit,
                      double uniform) {
  StartRanking(logits);
  const double temperature = params.temperature;
  const auto weight = [&](size_t rank) {
    return std::exp((Ranked(rank).logit - static_cast<double>(max_logit)) / temperature);
  };
  size_t count = logits.size();
  double mass = 0;
  if (params.top_k > 0 && params.top_k < count) {
    count = params.top_k;
    for (size_t rank = 0; rank < count; ++rank) mass += weight(rank);
  } else {
    mass = SumOfWeights(logits, max_logit, temperature);
  }
  if (params.top_p < 1.0f) {
    const double wanted = params.top_p * mass;
    size_t rank = 0;
    for (mass = 0; rank < count && mass < wanted; ++rank) mass += weight(rank);
    count = rank;
  }
  if (params.min_p > 0.0f) {
    size_t rank = 0;
    for (mass = 0; rank < count && weight(rank) >= params.min_p; ++rank) mass += weight(rank);
    count = rank;
  }
  const double target = uniform * mass;
  double reached = 0;
  for (size_t rank = 0; rank + 1 < count; ++rank) {
    reached += weight(rank);
    if (reached > target) return Ranked(rank).id;
  }
  return Ranked(count - 1).id;
}

void Sampler::StartRanking(std::span<const float> logits) {
  heap_.clear();
  ranked_.clear();
  for (size_t id = 0; id < logits.size(); ++id) {
    heap_.push_back({logits[id], static_cast<TokenId>(id)});
  }
  std::make_heap(heap_.begin(), heap_.end(), LessLikely());
}

const Sampler::Candidate& Sampler::Ranked(size_t rank) {
  while (ranked_.size() <= rank) {
    std::pop_heap(heap_.begin(), heap_.end(), LessLikely());
    ranked_.push_back(heap_.back());
    heap_.pop_back();
  }
  return ranked_[rank];
}

float LogProbability(std::span<const float> logits, TokenId id) {
  const double max_logit = *std::max_element(logits.begin(), logits.end());
  return static_cast<float>(logits[static_cast<size_t>(id)] - LogSumExp(logits, max_logit));
}

std::vector<TokenLogprob> TopLogProbabilities(std::span<const float> logits, size_t count) {
  std::vector<TokenLogprob> top;
  for (size_t id = 0; id < logits.size(); ++id)
    top.push_back({static_cast<TokenId>(id), logits[id]});
  count = std::min(count, top.size());
  std::partial_sort(top.begin(), top.begin() + static_cast<ptrdiff_t>(count), top.end(),
                    [](const TokenLogprob& a, const TokenLogprob& b) {
                      return a.logprob != b.logprob ? a.logprob > b.logprob
                                                    : a.token_id < b.token_id;
                    });
  top.resize(count);
  if (top.empty()) return top;
  const double log_sum = LogSumExp(logits, top.front().logprob);
  for (TokenLogprob& token : top) token.logprob = static_cast<float>(token.logprob - log_sum);
  return top;
}

}  // namespace ocelli
