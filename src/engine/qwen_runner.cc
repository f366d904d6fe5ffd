#include "engine/qwen_runner.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "model/vision_features.h"

namespace ocelli {
namespace {

class QwenPicture : public EncodedPicture {
 public:
  explicit QwenPicture(VisionFeatures taken) : features(std::move(taken)) {}
  VisionFeatures features;
};

class QwenEncodeJob : public EncodeJob {
 public:
  QwenEncodeJob(VisionEncoder& encoder, std::shared_ptr<const Patches> patches)
      : patches_(std::move(patches)),
        pass_(encoder.Begin(patches_->pixel_values.view(), patches_->grid_h, patches_->grid_w)) {}

  bool Step() override { return !pass_.Step(); }
  std::shared_ptr<const EncodedPicture> Take() override {
    return std::make_shared<const QwenPicture>(pass_.TakeFeatures());
  }

 private:
  std::shared_ptr<const Patches> patches_;  // read by the pass
  VisionPass pass_;
};

// The decoder gives logits to no row, the last or all of a segment; the engine asks for nothing
// else.
LogitRows ToLogitRows(const ForwardSegment& segment) {
  if (segment.num_logits == 0) return LogitRows::kNone;
  if (segment.num_logits == segment.token_ids.size()) return LogitRows::kAll;
  OCELLI_CHECK(segment.num_logits == 1, "{} logits for {} rows", segment.num_logits,
               segment.token_ids.size());
  return LogitRows::kLast;
}

ModelTraits MakeTraits(const ModelConfig& config, const QwenRunner::Options& options) {
  const VisionConfig& vision = config.vision_config;
  const size_t merged_patches = vision.spatial_merge_size * vision.spatial_merge_size;
  const size_t trained_for = config.text_config.max_position_embeddings;
  ModelTraits traits;
  traits.vocab_size = config.text_config.vocab_size;
  traits.max_context_tokens = options.max_context_tokens == 0
                                  ? trained_for
                                  : std::min(options.max_context_tokens, trained_for);
  traits.num_encoder_steps = VisionEncoder::NumSteps(vision);
  traits.spatial_merge_size = vision.spatial_merge_size;
  traits.max_image_tokens = options.max_patches / merged_patches;
  traits.image_token_id = config.image_token_id;
  traits.eos_token_ids = options.eos_token_ids;
  traits.kv_block_bytes = KvLayout(config.text_config).BlockBytes();
  traits.image_token_bytes =
      VisionFeatures::BytesFor(vision.deepstack_visual_indexes.size(), vision.out_hidden_size, 1);
  return traits;
}

}  // namespace

Result<std::unique_ptr<QwenRunner>> QwenRunner::Load(WeightSource& source, const Options& options,
                                                     ThreadPool& pool,
                                                     const LoadProgress& progress) {
  OCELLI_ASSIGN_OR_RETURN(ModelWeights weights, LoadWeights(source, pool, progress));
  return std::unique_ptr<QwenRunner>(
      new QwenRunner(source.config(), std::move(weights), options, pool));
}

QwenRunner::QwenRunner(const ModelConfig& config, ModelWeights weights, const Options& options,
                       ThreadPool& pool)
    : config_(config),
      weights_(std::move(weights)),
      pool_(pool),
      traits_(MakeTraits(config_, options)),
      vision_encoder_(config_.vision_config, weights_.visual, options.max_patches, pool) {}

void QwenRunner::Plan(const RunnerPlan& plan) {
  OCELLI_CHECK(!text_decoder_, "planned twice");
  DecoderPlan decoder;
  decoder.max_rows = plan.max_rows;
  decoder.max_logit_rows = plan.max_logits;
  decoder.max_segments = plan.max_segments;
  decoder.max_context_tokens = traits_.max_context_tokens;
  text_decoder_.emplace(config_.text_config, weights_.language_model, decoder, pool_);
  kv_pool_.emplace(KvLayout(config_.text_config), plan.num_kv_blocks);
  segments_.reserve(plan.max_segments);
  picture_rows_.reserve(plan.max_segments);
  // Blocks are shared between sequences, so the segments' lists may be longer than the arena.
  blocks_.reserve(plan.max_segments * KvLayout::BlocksFor(traits_.max_context_tokens));
  position_ids_ = Mat<int32_t>(3, plan.max_rows);
}

void QwenRunner::AddSegment(const ForwardSegment& segment) {
  const size_t rows = segment.token_ids.size();
  const MatView<int32_t> positions = position_ids_.view().Cols(num_rows_, rows);
  segment.rope_index->CopyTo(segment.first_token, positions);
  num_rows_ += rows;
  const size_t first_block = blocks_.size();
  for (KvBlockId block : segment.blocks) blocks_.push_back(kv_pool_->Data(block));
  DecoderSegment& out = segments_.emplace_back();
  out.token_ids = segment.token_ids;
  out.position_ids = positions;
  out.first_token = segment.first_token;
  out.kv = std::span(blocks_).subspan(first_block);
  out.logits = ToLogitRows(segment);
  if (segment.num_picture_rows == 0) return;
  picture_rows_.push_back({segment.picture_row, segment.num_picture_rows, segment.picture_token,
                           &static_cast<const QwenPicture*>(segment.picture)->features});
  out.pictures = std::span(&picture_rows_.back(), 1);
}

MatView<const float> QwenRunner::Forward(std::span<const ForwardSegment> segments) {
  segments_.clear();
  picture_rows_.clear();
  blocks_.clear();
  num_rows_ = 0;
  for (const ForwardSegment& segment : segments) AddSegment(segment);
  return text_decoder_->Forward(segments_);
}

void QwenRunner::CopyBlock(KvBlockId from, KvBlockId to) {
  std::copy_n(kv_pool_->Data(from), kv_pool_->layout().BlockBytes() / sizeof(float),
              kv_pool_->Data(to));
}

std::unique_ptr<EncodeJob> QwenRunner::StartEncode(std::shared_ptr<const Patches> patches) {
  return std::make_unique<QwenEncodeJob>(vision_encoder_, std::move(patches));
}

}  // namespace ocelli
