#include "model/model.h"

#include "gtest/gtest.h"
#include "model/test_weights.h"

namespace ocelli {
namespace {

ModelPlan SmallPlan() {
  return {.decoder = {.max_rows = 32,
                      .max_logit_rows = 4,
                      .max_segments = 2,
                      .max_context_tokens = 128},
          .max_patches = 64};
}

TEST(Model, TakesWhatWasEstimated) {
  ThreadPool pool(2);
  ModelConfig config = SmallConfig();
  config.text_config.head_dim = 16;
  config.text_config.intermediate_size = 48;
  config.text_config.mrope_section = {4, 2, 2};
  TestWeights source(config, false);
  const auto model = Model::Load(source, SmallPlan(), pool);
  ASSERT_TRUE(model.ok());
  const ModelMemory memory = (*model)->memory();
  ModelPlan plan = SmallPlan();
  plan.weight_format = WeightFormat::kFloat32;  // TestWeights are no bf16 numbers
  const ModelMemory estimate = Estimate(config, plan, 2);
  EXPECT_EQ(memory.weight_bytes, estimate.weight_bytes);
  EXPECT_EQ(memory.FixedBytes(), estimate.FixedBytes());
  EXPECT_EQ(memory.kv_block_bytes, (*model)->kv_layout().BlockBytes());
  EXPECT_EQ(memory.feature_bytes_per_token, 3 * 36 * sizeof(float));
}

TEST(Model, LoadHandsOnTheErrorOfItsSource) {
  ThreadPool pool(1);
  TestWeights source(SmallConfig(), true);
  source.Remove("model.language_model.norm.weight");
  const auto model = Model::Load(source, SmallPlan(), pool);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace ocelli
