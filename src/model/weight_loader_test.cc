#include "model/weight_loader.h"

#include <bit>

#include "base/bf16.h"
#include "gtest/gtest.h"
#include "model/test_weights.h"

namespace ocelli {
namespace {

std::vector<float> Row(const PackedMatrix& matrix, size_t n) {
  std::vector<float> row(matrix.num_inputs());
  matrix.CopyRow(n, row);
  return row;
}

std::vector<float> Slice(const std::vector<float>& numbers, size_t row, size_t cols) {
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(row * cols);
  return {begin, begin + static_cast<std::ptrdiff_t>(cols)};
}

TEST(LoadWeights, FusesQkvAndGateUpInOrder) {
  ThreadPool pool(2);
  TestWeights source(SmallConfig(), true);
  const Result<ModelWeights> weights = LoadWeights(source, WeightFormat::kBf16, pool);
  ASSERT_TRUE(weights.ok()) << weights.error().message;
  const TextLayerWeights& layer = weights->language_model.layers[1];
  const std::string name = "model.language_model.layers.1.";
  const TextConfig& config = source.config().text_config;
  EXPECT_EQ(layer.qkv_proj.num_outputs(), config.q_size() + 2 * config.kv_size());
  EXPECT_EQ(Row(layer.qkv_proj, 3), Slice(source[name + "self_attn.q_proj.weight"], 3, 36));
  EXPECT_EQ(Row(layer.qkv_proj, config.q_size() + 5),
            Slice(source[name + "self_attn.k_proj.weight"], 5, 36));
  EXPECT_EQ(Row(layer.qkv_proj, config.q_size() + config.kv_size()),
            Slice(source[name + "self_attn.v_proj.weight"], 0, 36));
  EXPECT_EQ(Row(layer.gate_up_proj, 49), Slice(source[name + "mlp.gate_proj.weight"], 49, 36));
  EXPECT_EQ(Row(layer.gate_up_proj, 50), Slice(source[name + "mlp.up_proj.weight"], 0, 36));
  EXPECT_EQ(layer.input_layernorm, source[name + "input_layernorm.weight"]);
}

TEST(LoadWeights, SumsTheTemporalPatchKernels) {
  ThreadPool pool(1);
  TestWeights source(SmallConfig(), true);
  const Result<ModelWeights> weights = LoadWeights(source, WeightFormat::kBf16, pool);
  ASSERT_TRUE(weights.ok());
  const std::vector<float>& kernel = source["model.visual.patch_embed.proj.weight"];
  const std::vector<float> row = Row(weights->visual.patch_embed.weight, 7);
  ASSERT_EQ(row.size(), 48u);
  for (size_t channel = 0; channel < 3; ++channel) {
    for (size_t i = 0; i < 16; ++i) {
      const size_t first = ((7 * 3 + channel) * 2) * 16 + i;
      EXPECT_EQ(row[channel * 16 + i], kernel[first] + kernel[first + 16]);
    }
  }
}

TEST(LoadWeights, HoldsBf16WhenExactAndFloat32WhenNot) {
  ThreadPool pool(2);
  TestWeights source(SmallConfig(), true);
  source["model.language_model.layers.0.self_attn.v_proj.weight"].back() = 0.1f;
  const Result<ModelWeights> weights = LoadWeights(source, WeightFormat::kBf16, pool);
  ASSERT_TRUE(weights.ok());
  const auto& layers = weights->language_model.layers;
  EXPECT_EQ(layers[0].qkv_proj.format(), WeightFormat::kFloat32);
  EXPECT_EQ(Row(layers[0].qkv_proj, layers[0].qkv_proj.num_outputs() - 1).back(), 0.1f);
  EXPECT_EQ(layers[0].o_proj.format(), WeightFormat::kBf16);
  EXPECT_EQ(layers[1].qkv_proj.format(), WeightFormat::kBf16);
}

TEST(LoadWeights, Float32NumbersKeepTheirFullValue) {
  ThreadPool pool(2);
  TestWeights source(SmallConfig(), false);
  const Result<ModelWeights> weights = LoadWeights(source, WeightFormat::kBf16, pool);
  ASSERT_TRUE(weights.ok());
  for (size_t n = 0; n < 75; ++n) {
    EXPECT_EQ(Row(weights->language_model.embed_tokens, n),
              Slice(source["model.language_model.embed_tokens.weight"], n, 36));
  }
}

TEST(LoadWeights, TiedModelSharesOneMatrixAndUntiedHasItsOwnHead) {
  ThreadPool pool(1);
  TestWeights tied(SmallConfig(), true);
  const Result<ModelWeights> one = LoadWeights(tied, WeightFormat::kBf16, pool);
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(&one->language_model.lm_head(), &one->language_model.embed_tokens);
  ModelConfig config = SmallConfig();
  config.tie_word_embeddings = false;
  TestWeights untied(config, true);
  const Result<ModelWeights> two = LoadWeights(untied, WeightFormat::kBf16, pool);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(Row(two->language_model.lm_head(), 74), Slice(untied["lm_head.weight"], 74, 36));
}

TEST(LoadWeights, ReleasesEveryTensorAndHoldsAtMostOneFusedMatrix) {
  ThreadPool pool(1);
  TestWeights source(SmallConfig(), true);
  std::vector<size_t> heard;
  const Result<ModelWeights> weights =
      LoadWeights(source, WeightFormat::kBf16, pool, [&](size_t done, size_t total) {
        heard.push_back(done);
        EXPECT_EQ(total, source.num_tensors());
      });
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(source.num_live(), 0u);
  EXPECT_LE(source.max_live(), 3u);
  ASSERT_EQ(heard.size(), source.num_tensors());
  EXPECT_EQ(heard.back(), source.num_tensors());
}

TEST(LoadWeights, MissingTensorIsAnErrorThatNamesIt) {
  ThreadPool pool(1);
  TestWeights source(SmallConfig(), true);
  const std::string name = "model.visual.blocks.1.mlp.linear_fc2.bias";
  source.Remove(name);
  const Result<ModelWeights> weights = LoadWeights(source, WeightFormat::kBf16, pool);
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(weights.error().param, name);
}

TEST(EstimateWeightBytes, IsWhatLoadingTakes) {
  ThreadPool pool(1);
  for (const bool tied : {true, false}) {
    ModelConfig config = SmallConfig();
    config.tie_word_embeddings = tied;
    config.text_config.head_dim = 16;  // q, k and v end on panel borders, as in published sizes
    config.text_config.intermediate_size = 48;
    config.text_config.mrope_section = {4, 2, 2};
    TestWeights source(config, false);
    const Result<ModelWeights> weights = LoadWeights(source, WeightFormat::kBf16, pool);
    ASSERT_TRUE(weights.ok());
    EXPECT_EQ(EstimateWeightBytes(config, WeightFormat::kFloat32), weights->size_bytes());
    EXPECT_LT(EstimateWeightBytes(config, WeightFormat::kBf16), weights->size_bytes());
  }
}

}  // namespace
}  // namespace ocelli
