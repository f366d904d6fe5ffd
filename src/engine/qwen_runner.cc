#include "engine/qwen_runner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace ocelli {
namespace {

size_t ContextTokens(const EngineOptions& options, const ModelConfig& config) {
  const size_t most = config.text_config.max_position_embeddings;
  return options.max_context_tokens == 0 ? most : std::min(options.max_context_tokens, most);
}

class QwenPicture : public EncodedPicture {
 public:
  explicit QwenPicture(VisionFeatures features) : features_(std::move(features)) {}
  const VisionFeatures& features() const { return features_; }

 private:
  VisionFeatures features_;
};

class QwenEncodeJob : public EncodeJob {
 public:
  QwenEncodeJob(VisionEncoder& encoder, std::shared_ptr<const Patches> patches)
      : patches_(std::move(patches)),
        pass_(encoder.Begin(patches_->pixel_values.view(), patches_->grid_h, patches_->grid_w)) {}

  bool Step() override { return !pass_.Step(); }
  std::shared_ptr<const EncodedPicture> Take() override {
    return std::make_shared<QwenPicture>(pass_.TakeFeatures());
  }

 private:
  std::shared_ptr<const Patches> patches_;
  VisionPass pass_;
};

}  // namespace

ModelPlan PlanModel(const EngineOptions& options, const ModelConfig& config) {
  const RunnerPlan runner =
      MakeRunnerPlan(options, KvLayout(config.text_config, options.kv_type).BlockBytes());
  const size_t merge = config.vision_config.spatial_merge_size;
  ModelPlan plan;
  plan.decoder.max_rows = runner.max_rows;
  plan.decoder.max_logit_rows = runner.max_logits;
  plan.decoder.max_segments = runner.max_segments;
  plan.decoder.max_context_tokens = ContextTokens(options, config);
  plan.decoder.kv_type = options.kv_type;
  plan.max_patches = options.max_image_tokens * merge * merge;
  plan.weight_format = options.weight_format;
  return plan;
}

std::unique_ptr<ModelRunner> QwenRunner::Make(const ModelConfig& config, ModelWeights weights,
                                              std::vector<TokenId> eos_token_ids,
                                              const EngineOptions& options, ThreadPool& pool) {
  auto model = Model::Of(config, std::move(weights), PlanModel(options, config), pool);
  return std::unique_ptr<ModelRunner>(
      new QwenRunner(std::move(model), std::move(eos_token_ids), options));
}

QwenRunner::QwenRunner(std::unique_ptr<Model> model, std::vector<TokenId> eos_token_ids,
                       const EngineOptions& options)
    : model_(std::move(model)) {
  const ModelConfig& config = model_->config();
  const VisionConfig& vision = config.vision_config;
  traits_.vocab_size = config.text_config.vocab_size;
  traits_.max_context_tokens = ContextTokens(options, config);
  traits_.num_encoder_steps = VisionEncoder::NumSteps(vision);
  traits_.spatial_merge_size = vision.spatial_merge_size;
  traits_.max_image_tokens = options.max_image_tokens;
  traits_.image_token_id = config.image_token_id;
  traits_.eos_token_ids = std::move(eos_token_ids);
  traits_.kv_block_bytes = model_->kv_layout().BlockBytes();
  traits_.image_token_bytes =
      VisionFeatures::BytesFor(vision.deepstack_visual_indexes.size(), vision.out_hidden_size, 1);
}

void QwenRunner::Plan(const RunnerPlan& plan) {
  const DecoderPlan& decoder = model_->text_decoder().plan();
  OCELLI_CHECK(plan.max_rows <= decoder.max_rows && plan.max_logits <= decoder.max_logit_rows &&
                   plan.max_segments <= decoder.max_segments,
               "the model is planned for {} rows, {} logits and {} segments", decoder.max_rows,
               decoder.max_logit_rows, decoder.max_segments);
  kv_.emplace(model_->kv_layout(), plan.num_kv_blocks);
  position_ids_ = Mat<int32_t>(3, plan.max_rows);
  // Sequences share blocks, so a pass may name more than there are.
  const size_t most_blocks = KvLayout::BlocksFor(decoder.max_context_tokens);
  kv_blocks_.reserve(plan.max_segments * std::min(most_blocks, plan.num_kv_blocks));
  pictures_.reserve(plan.max_segments);
  segments_.reserve(plan.max_segments);
}

MatView<const float> QwenRunner::Forward(std::span<const ForwardSegment> segments) {
  num_rows_ = 0;
  kv_blocks_.clear();
  pictures_.clear();
  segments_.clear();
  for (const ForwardSegment& segment : segments) segments_.push_back(MakeSegment(segment));
  return model_->text_decoder().Forward(segments_);
}

DecoderSegment QwenRunner::MakeSegment(const ForwardSegment& segment) {
  const size_t rows = segment.token_ids.size();
  DecoderSegment result;
  result.token_ids = segment.token_ids;
  result.first_token = segment.first_token;
  result.num_logits = segment.num_logits;

  const auto position_ids = position_ids_.view().Cols(num_rows_, rows);
  segment.rope_index->CopyTo(segment.first_token, position_ids);
  result.position_ids = position_ids;
  num_rows_ += rows;

  const size_t first_block = kv_blocks_.size();
  for (const KvBlockId id : segment.blocks) kv_blocks_.push_back(kv_->Data(id));
  result.kv = KvView(kv_blocks_).subspan(first_block);

  if (segment.num_picture_rows > 0) {
    const auto& picture = static_cast<const QwenPicture&>(*segment.picture);
    pictures_.push_back({segment.picture_row, segment.num_picture_rows, segment.picture_token,
                         &picture.features()});
    result.pictures = std::span(pictures_).last(1);
  }
  return result;
}

void QwenRunner::CopyBlock(KvBlockId from, KvBlockId to) {
  std::memcpy(kv_->Data(to), kv_->Data(from), kv_->layout().BlockBytes());
}

std::unique_ptr<EncodeJob> QwenRunner::StartEncode(std::shared_ptr<const Patches> patches) {
  return std::make_unique<QwenEncodeJob>(model_->vision_encoder(), std::move(patches));
}

}  // namespace ocelli
