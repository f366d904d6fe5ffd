#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "engine/random.h"

namespace ocelli {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> RandomLogits(size_t count, uint64_t seed, float spread = 3.0f) {
  std::vector<float> logits(count);
  for (size_t i = 0; i < count; ++i) {
    logits[i] = spread * static_cast<float>(2 * TokenUniform(seed, 0, i) - 1);
  }
  return logits;
}

TokenId SampleOne(const std::vector<float>& logits, const SamplingParams& params, double uniform) {
  const Penalties penalties(params, {});
  Sampler sampler(logits.size());
  auto token = sampler.Sample(logits, params, penalties, uniform);
  EXPECT_TRUE(token.ok());
  return *token;
}

// What SamplingParams promises, written the slow way: the tokens that may be drawn, likeliest
// first, with their probabilities.
std::vector<std::pair<TokenId, double>> Allowed(const std::vector<float>& logits,
                                                const SamplingParams& params) {
  std::vector<std::pair<TokenId, double>> tokens;
  for (size_t i = 0; i < logits.size(); ++i) {
    tokens.emplace_back(static_cast<TokenId>(i),
                        std::exp(static_cast<double>(logits[i]) / params.temperature));
  }
  std::stable_sort(tokens.begin(), tokens.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const auto normalise = [&tokens] {
    double sum = 0;
    for (const auto& token : tokens) sum += token.second;
    for (auto& token : tokens) token.second /= sum;
  };
  if (params.top_k > 0 && params.top_k < tokens.size()) tokens.resize(params.top_k);
  normalise();
  double reached = 0;
  size_t count = 0;
  while (count < tokens.size() && reached < params.top_p) reached += tokens[count++].second;
  tokens.resize(count);
  normalise();
  const double least = params.min_p * tokens.front().second;
  std::erase_if(tokens, [least](const auto& token) { return token.second < least; });
  normalise();
  return tokens;
}

TEST(FindArgmax, TakesTheLowestIdAmongEquals) {
  for (const size_t size : {1u, 7u, 8u, 9u, 31u, 100u}) {
    for (size_t first = 0; first < size; ++first) {
      std::vector<float> logits(size, -1.0f);
      for (size_t i = first; i < size; i += 3) logits[i] = 2.0f;
      const auto best = FindArgmax(logits);
      ASSERT_TRUE(best.has_value());
      EXPECT_EQ(best->id, static_cast<TokenId>(first)) << "of " << size;
      EXPECT_EQ(best->logit, 2.0f);
    }
  }
}

TEST(FindArgmax, EqualsTheStandardLibraryOnRandomNumbers) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto logits = RandomLogits(1 + seed % 77, seed);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    EXPECT_EQ(FindArgmax(logits)->id, best);
  }
}

TEST(FindArgmax, RefusesEveryKindOfNonFiniteLogitAnywhere) {
  for (const float bad : {kNan, kInf, -kInf}) {
    for (size_t i = 0; i < 19; ++i) {
      std::vector<float> logits(19, 1.0f);
      logits[i] = bad;
      EXPECT_FALSE(FindArgmax(logits).has_value()) << bad << " at " << i;
    }
  }
}

TEST(Sampler, NonFiniteLogitsAreAnErrorAtEveryTemperature) {
  std::vector<float> logits(50, 0.0f);
  logits[33] = kNan;
  SamplingParams params;
  Sampler sampler(logits.size());
  for (const float temperature : {0.0f, 1.0f}) {
    params.temperature = temperature;
    const Penalties penalties(params, {});
    const auto token = sampler.Sample(logits, params, penalties, 0.5);
    ASSERT_FALSE(token.ok());
    EXPECT_EQ(token.error().code, ErrorCode::kInternal);
  }
}

TEST(Sampler, TemperatureZeroIgnoresTheRandomNumber) {
  const auto logits = RandomLogits(100, 5);
  const TokenId best = FindArgmax(logits)->id;
  for (const double uniform : {0.0, 0.3, 0.999999}) {
    EXPECT_EQ(SampleOne(logits, SamplingParams(), uniform), best);
  }
}

TEST(Sampler, TopKOneIsGreedyAtAnyTemperature) {
  const auto logits = RandomLogits(100, 6);
  SamplingParams params;
  params.temperature = 2.0f;
  params.top_k = 1;
  EXPECT_EQ(SampleOne(logits, params, 0.9999), FindArgmax(logits)->id);
}

TEST(Sampler, DrawsExactlyWhatTheRulesAllowForEveryUniform) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto logits = RandomLogits(60, seed);
    SamplingParams params;
    params.temperature = 0.3f + static_cast<float>(seed % 5) * 0.4f;
    params.top_k = seed % 3 == 0 ? 0 : static_cast<uint32_t>(3 + seed % 20);
    params.top_p = seed % 2 == 0 ? 1.0f : 0.7f;
    params.min_p = seed % 4 < 2 ? 0.0f : 0.1f;
    const auto allowed = Allowed(logits, params);
    double reached = 0;
    for (const auto& [id, probability] : allowed) {
      // Inside the token's share of [0, 1), away from the rounding at its borders.
      EXPECT_EQ(SampleOne(logits, params, reached + 0.01 * probability), id) << "seed " << seed;
      EXPECT_EQ(SampleOne(logits, params, reached + 0.99 * probability), id) << "seed " << seed;
      reached += probability;
    }
    EXPECT_EQ(SampleOne(logits, params, 1.0 - 0x1p-53), allowed.back().first);
  }
}

TEST(Sampler, FrequenciesFollowTheDistribution) {
  const auto logits = RandomLogits(12, 99, 1.5f);
  SamplingParams params;
  params.temperature = 0.9f;
  const auto allowed = Allowed(logits, params);
  constexpr int kDraws = 40'000;
  std::map<TokenId, int> counts;
  const Penalties penalties(params, {});
  Sampler sampler(logits.size());
  for (int i = 0; i < kDraws; ++i) {
    ++counts[*sampler.Sample(logits, params, penalties,
                             TokenUniform(42, 0, static_cast<uint64_t>(i)))];
  }
  double chi_squared = 0;
  for (const auto& [id, probability] : allowed) {
    const double expected = probability * kDraws;
    chi_squared += (counts[id] - expected) * (counts[id] - expected) / expected;
  }
  EXPECT_LT(chi_squared, 31.3);  // 0.1 % point for 11 degrees of freedom
}

TEST(Sampler, ExtremeTemperaturesAndLogitsStayInRange) {
  std::vector<float> logits = {3e38f, -3e38f, 0.0f, 1e38f};
  SamplingParams params;
  for (const float temperature : {1e-30f, 1.0f, 2.0f}) {
    params.temperature = temperature;
    EXPECT_EQ(SampleOne(logits, params, 0.999), 0);
  }
}

TEST(Penalties, RepetitionDividesPositiveAndMultipliesNegativeOnceEach) {
  SamplingParams params;
  params.repetition_penalty = 2.0f;
  const std::vector<TokenId> prompt = {1, 1, 2};
  Penalties penalties(params, prompt);
  penalties.Add(3);
  penalties.Add(3);
  std::vector<float> logits = {1.0f, 1.0f, -1.0f, 4.0f};
  penalties.Apply(logits);
  EXPECT_EQ(logits, (std::vector<float>{1.0f, 0.5f, -2.0f, 2.0f}));
}

TEST(Penalties, PresenceAndFrequencyCountOnlyTheAnswer) {
  SamplingParams params;
  params.presence_penalty = 0.5f;
  params.frequency_penalty = 0.25f;
  const std::vector<TokenId> prompt = {0, 0};
  Penalties penalties(params, prompt);
  penalties.Add(1);
  penalties.Add(2);
  penalties.Add(2);
  std::vector<float> logits = {1.0f, 1.0f, 1.0f};
  penalties.Apply(logits);
  EXPECT_EQ(logits, (std::vector<float>{1.0f, 0.25f, 0.0f}));
}

TEST(Penalties, BiasComesFirstAndForbidsTokens) {
  SamplingParams params;
  params.logit_bias = {{1, -100.0f}, {0, 2.0f}};
  params.repetition_penalty = 2.0f;
  const std::vector<TokenId> prompt = {0};
  const Penalties penalties(params, prompt);
  EXPECT_TRUE(penalties.active());
  std::vector<float> logits = {-1.0f, 50.0f};
  penalties.Apply(logits);
  EXPECT_EQ(logits, (std::vector<float>{0.5f, -50.0f}));
}

TEST(Penalties, NothingAskedNothingKept) {
  const std::vector<TokenId> prompt = {0, 1};
  const SamplingParams params;
  Penalties penalties(params, prompt);
  penalties.Add(1);
  EXPECT_FALSE(penalties.active());
}

TEST(LogProbability, IsTheLogSoftmaxOfTheModel) {
  const auto logits = RandomLogits(40, 3);
  double sum = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    sum += std::exp(static_cast<double>(LogProbability(logits, static_cast<TokenId>(i))));
  }
  EXPECT_NEAR(sum, 1.0, 1e-6);
  EXPECT_NEAR(LogProbability(logits, 3) - LogProbability(logits, 7), logits[3] - logits[7], 1e-6);
}

TEST(TopLogProbabilities, AreTheLikeliestInOrder) {
  std::vector<float> logits = {0.0f, 5.0f, 3.0f, 5.0f};
  const auto top = TopLogProbabilities(logits, 3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].token_id, 1);
  EXPECT_EQ(top[1].token_id, 3);
  EXPECT_EQ(top[2].token_id, 2);
  for (const TokenLogprob& token : top) {
    EXPECT_FLOAT_EQ(token.logprob, LogProbability(logits, token.token_id));
  }
  EXPECT_EQ(TopLogProbabilities(logits, 20).size(), 4u);
}

}  // namespace
}  // namespace ocelli
