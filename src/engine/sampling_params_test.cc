#include "engine/sampling_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace ocelli {
namespace {

using ::testing::HasSubstr;

constexpr size_t kVocabSize = 100;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void ExpectRefused(const std::function<void(SamplingParams&)>& change, const std::string& param,
                   const std::string& text) {
  SamplingParams params;
  change(params);
  const Status status = params.Validate(kVocabSize);
  ASSERT_FALSE(status.ok()) << param << " " << text;
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.error().param, param);
  EXPECT_THAT(status.error().message, HasSubstr(text));
}

TEST(SamplingParams, DefaultsAreValid) { EXPECT_TRUE(SamplingParams().Validate(kVocabSize).ok()); }

TEST(SamplingParams, LimitsThemselvesAreValid) {
  SamplingParams params;
  params.temperature = 2.0f;
  params.top_k = 1;
  params.top_p = 1e-6f;
  params.min_p = 1.0f;
  params.repetition_penalty = 10.0f;
  params.presence_penalty = -2.0f;
  params.frequency_penalty = 2.0f;
  params.logit_bias = {{0, -100.0f}, {99, 100.0f}};
  params.stop = {"a", "b", "c", std::string(kMaxStopStringBytes, 'x')};
  params.logprobs = true;
  params.top_logprobs = kMaxTopLogprobs;
  params.n = kMaxChoices;
  params.max_new_tokens = std::numeric_limits<size_t>::max();
  EXPECT_TRUE(params.Validate(kVocabSize).ok());
}

TEST(SamplingParams, EveryFieldOutOfRangeIsRefusedByNameValueAndLimit) {
  using P = SamplingParams;
  ExpectRefused([](P& p) { p.temperature = -0.5f; }, "temperature", "-0.5; it must be from 0 to 2");
  ExpectRefused([](P& p) { p.temperature = 2.5f; }, "temperature", "2.5");
  ExpectRefused([](P& p) { p.temperature = kNan; }, "temperature", "nan");
  ExpectRefused([](P& p) { p.top_p = 0.0f; }, "top_p", "above 0 and at most 1");
  ExpectRefused([](P& p) { p.top_p = 1.5f; }, "top_p", "1.5");
  ExpectRefused([](P& p) { p.min_p = -1.0f; }, "min_p", "-1");
  ExpectRefused([](P& p) { p.min_p = kNan; }, "min_p", "nan");
  ExpectRefused([](P& p) { p.repetition_penalty = 0.0f; }, "repetition_penalty", "from 0.01 to 10");
  // So small a divisor makes logits infinite.
  ExpectRefused([](P& p) { p.repetition_penalty = 1e-45f; }, "repetition_penalty", "from 0.01");
  ExpectRefused([](P& p) { p.repetition_penalty = 11.0f; }, "repetition_penalty", "11");
  ExpectRefused([](P& p) { p.presence_penalty = 3.0f; }, "presence_penalty", "from -2 to 2");
  ExpectRefused([](P& p) { p.frequency_penalty = -3.0f; }, "frequency_penalty", "from -2 to 2");
  ExpectRefused([](P& p) { p.logit_bias = {{100, 1.0f}}; }, "logit_bias", "from 0 to 99");
  ExpectRefused([](P& p) { p.logit_bias = {{-1, 1.0f}}; }, "logit_bias", "token -1");
  ExpectRefused([](P& p) { p.logit_bias = {{5, 101.0f}}; }, "logit_bias", "token 5 is 101");
  ExpectRefused([](P& p) { p.logit_bias = {{5, kNan}}; }, "logit_bias", "nan");
  ExpectRefused([](P& p) { p.logit_bias.resize(kMaxLogitBiases + 1); }, "logit_bias", "1025");
  ExpectRefused([](P& p) { p.stop = {"a", ""}; }, "stop", "stop[1] has 0 bytes");
  ExpectRefused([](P& p) { p.stop = {"a", "b", "c", "d", "e"}; }, "stop", "5 strings; at most 4");
  ExpectRefused([](P& p) { p.stop = {std::string(257, 'x')}; }, "stop", "257");
  ExpectRefused([](P& p) { p.stop = {"\xff"}; }, "stop", "not UTF-8");
  ExpectRefused([](P& p) { p.top_logprobs = 1; }, "top_logprobs", "needs logprobs");
  ExpectRefused([](P& p) { p.logprobs = true, p.top_logprobs = 21; }, "top_logprobs", "0 to 20");
  ExpectRefused([](P& p) { p.n = 0; }, "n", "n is 0; it must be from 1 to 16");
  ExpectRefused([](P& p) { p.n = 1000; }, "n", "1000");
  ExpectRefused([](P& p) { p.max_new_tokens = 0; }, "max_new_tokens", "at least 1");
}

TEST(SamplingParams, DefaultsComeFromGenerationConfig) {
  GenerationConfig config;
  config.do_sample = true;
  config.temperature = 0.7;
  config.top_k = 20;
  config.top_p = 0.8;
  config.repetition_penalty = 1.1;
  config.presence_penalty = 1.5;
  const SamplingParams params = DefaultSamplingParams(config);
  EXPECT_EQ(params.temperature, 0.7f);
  EXPECT_EQ(params.top_k, 20u);
  EXPECT_EQ(params.top_p, 0.8f);
  EXPECT_EQ(params.repetition_penalty, 1.1f);
  EXPECT_EQ(params.presence_penalty, 1.5f);
  EXPECT_EQ(params.max_new_tokens, kDefaultMaxNewTokens);
}

TEST(SamplingParams, WithoutDoSampleTheDefaultIsGreedy) {
  GenerationConfig config;
  config.temperature = 0.7;
  const SamplingParams params = DefaultSamplingParams(config);
  EXPECT_EQ(params.temperature, 0.0f);
  EXPECT_EQ(params.top_k, 0u);
  EXPECT_EQ(params.top_p, 1.0f);
}

}  // namespace
}  // namespace ocelli
