#include "model/model.h"

#include <utility>

namespace ocelli {
namespace {

// Fills in what one token costs, which no plan changes.
ModelMemory PerToken(const ModelConfig& config, KvType kv_type) {
  ModelMemory memory;
  memory.kv_block_bytes = KvLayout(config.text_config, kv_type).BlockBytes();
  memory.feature_bytes_per_token =
      VisionFeatures::BytesFor(config.vision_config.deepstack_visual_indexes.size(),
                               config.vision_config.out_hidden_size, 1);
  return memory;
}

}  // namespace

ModelMemory Estimate(const ModelConfig& config, const ModelPlan& plan, int num_threads) {
  ModelMemory memory = PerToken(config, plan.decoder.kv_type);
  memory.weight_bytes = EstimateWeightBytes(config, plan.weight_format);
  memory.encoder_bytes =
      VisionEncoder::PlannedBytes(config.vision_config, plan.max_patches, num_threads);
  memory.decoder_bytes = TextDecoder::PlannedBytes(config.text_config, plan.decoder, num_threads);
  return memory;
}

Result<std::unique_ptr<Model>> Model::Load(WeightSource& source, const ModelPlan& plan,
                                           ThreadPool& pool, const LoadProgress& progress) {
  OCELLI_ASSIGN_OR_RETURN(ModelWeights weights,
                          LoadWeights(source, plan.weight_format, pool, progress));
  return Of(source.config(), std::move(weights), plan, pool);
}

std::unique_ptr<Model> Model::Of(const ModelConfig& config, ModelWeights weights,
                                 const ModelPlan& plan, ThreadPool& pool) {
  return std::unique_ptr<Model>(new Model(config, std::move(weights), plan, pool));
}

Model::Model(const ModelConfig& config, ModelWeights weights, const ModelPlan& plan,
             ThreadPool& pool)
    : config_(config),
      weights_(std::move(weights)),
      vision_encoder_(config_.vision_config, weights_.visual, plan.max_patches, pool),
      text_decoder_(config_.text_config, weights_.language_model, plan.decoder, pool) {}

ModelMemory Model::memory() const {
  ModelMemory memory = PerToken(config_, kv_layout().attention.kv_type);
  memory.weight_bytes = weights_.size_bytes();
  memory.encoder_bytes = vision_encoder_.buffer_bytes();
  memory.decoder_bytes = text_decoder_.buffer_bytes();
  return memory;
}

}  // namespace ocelli
