#include "checkpoint/dummy_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "checkpoint/expected_tensors.h"
#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

ModelConfig Tiny() { return *ParseModelConfig(testing::TinyConfig().dump(), "config.json"); }

std::vector<float> Values(DummyWeights& weights, std::string_view name,
                          const std::vector<size_t>& shape) {
  const auto tensor = weights.Tensor(name, shape);
  std::vector<float> values(tensor->NumElements());
  WidenTo(*tensor, 0, values);
  weights.Release(*tensor);
  return values;
}

struct Moments {
  double mean, std;
};

Moments MomentsOf(const std::vector<float>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (float value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / count)};
}

TEST(DummyWeights, DependOnSeedAndNameOnlyAndNotOnThreads) {
  ThreadPool one(1);
  ThreadPool three(3);
  DummyWeights a(Tiny(), 7, one);
  DummyWeights b(Tiny(), 7, three);
  DummyWeights other_seed(Tiny(), 8, one);
  const std::vector<size_t> shape = {333, 211};  // not a multiple of anything
  const std::vector<float> values = Values(a, "x.weight", shape);
  Values(b, "something.else", {5, 5});
  EXPECT_EQ(values, Values(b, "x.weight", shape));
  EXPECT_NE(values, Values(a, "y.weight", shape));
  EXPECT_NE(values, Values(other_seed, "x.weight", shape));
}

TEST(DummyWeights, MatricesAreNormalAndKeepTheScaleOfActivations) {
  ThreadPool pool(2);
  DummyWeights weights(Tiny(), 1, pool);
  const std::vector<float> values = Values(weights, "a.weight", {512, 2048});
  const Moments moments = MomentsOf(values);
  const double std = 1 / std::sqrt(2048.0);
  EXPECT_NEAR(moments.mean, 0, std / 300);
  EXPECT_NEAR(moments.std, std, std / 100);
  const auto within = std::count_if(values.begin(), values.end(),
                                    [&](float value) { return std::abs(value) < std; });
  EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(values.size()), 0.683, 0.01);
  EXPECT_NEAR(MomentsOf(Values(weights, "b.weight", {512, 3, 2, 4, 4})).std, 0.04, 0.001);
}

TEST(DummyWeights, NeighboursAreNotCorrelated) {
  ThreadPool pool(1);
  DummyWeights weights(Tiny(), 1, pool);
  const std::vector<float> values = Values(weights, "a.weight", {1024, 1024});
  const double variance = std::pow(MomentsOf(values).std, 2);
  for (size_t lag : {1, 2, 3, 4, 1024}) {
    double sum = 0;
    for (size_t i = lag; i < values.size(); ++i) sum += values[i] * values[i - lag];
    EXPECT_NEAR(sum / static_cast<double>(values.size()) / variance, 0, 0.005) << lag;
  }
}

TEST(DummyWeights, NormsAreNearOneAndBiasesNearZero) {
  ThreadPool pool(1);
  DummyWeights weights(Tiny(), 1, pool);
  const Moments norm = MomentsOf(Values(weights, "norm.weight", {4096}));
  EXPECT_NEAR(norm.mean, 1, 0.01);
  EXPECT_NEAR(norm.std, 0.1, 0.01);
  const Moments bias = MomentsOf(Values(weights, "norm.bias", {4096}));
  EXPECT_NEAR(bias.mean, 0, 0.002);
  EXPECT_NEAR(bias.std, 0.02, 0.002);
}

TEST(DummyWeights, GiveEveryTensorOfAModel) {
  ThreadPool pool(2);
  DummyWeights weights(Tiny(), 1, pool);
  for (const TensorSpec& spec : ExpectedTensors(weights.config())) {
    const auto tensor = weights.Tensor(spec.name, spec.shape);
    ASSERT_TRUE(tensor.ok());
    EXPECT_EQ(tensor->shape, spec.shape);
    EXPECT_EQ(tensor->bytes.size(), 2 * spec.NumElements());
  }
}

TEST(DummyWeights, RefuseATensorLargerThanMemory) {
  ThreadPool pool(1);
  DummyWeights weights(Tiny(), 1, pool);
  const auto tensor = weights.Tensor("huge.weight", std::vector<size_t>{1u << 24, 1u << 24});
  testing::ExpectError(tensor, ErrorCode::kResourceExhausted, {"huge.weight", "may be used"});
}

}  // namespace
}  // namespace ocelli
