#include "golden_sequence.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "checkpoint/checkpoint.h"

namespace ocelli {
namespace {

constexpr size_t kMaxContextTokens = 512;

// Returns where the pictures of a prompt stand: runs of the image token, in order.
std::vector<PictureSpan> FindPictures(const Model& model, const std::vector<int32_t>& prompt,
                                      const GoldenCase& golden) {
  const size_t merge_size = model.config().vision_config.spatial_merge_size;
  std::vector<PictureSpan> spans;
  for (size_t token = 0; token < prompt.size(); ++token) {
    if (prompt[token] != model.config().image_token_id) continue;
    const int64_t* grid = &golden["image_grid_thw"].integers[3 * spans.size()];
    spans.push_back({token, static_cast<size_t>(grid[1]) / merge_size,
                     static_cast<size_t>(grid[2]) / merge_size});
    token += spans.back().num_tokens() - 1;
  }
  return spans;
}

// The reference repeats every channel for its two temporal steps; we take one of them.
Mat<float> FirstTemporalStep(MatView<const float> pixel_values, const VisionConfig& config) {
  const size_t area = config.patch_size * config.patch_size;
  Mat<float> out(pixel_values.rows(), config.in_channels * area);
  for (size_t r = 0; r < out.rows(); ++r) {
    for (size_t channel = 0; channel < config.in_channels; ++channel) {
      std::copy_n(pixel_values.Row(r) + channel * config.temporal_patch_size * area, area,
                  out.view().Row(r) + channel * area);
    }
  }
  return out;
}

Mat<float> CopyOf(MatView<const float> view) {
  Mat<float> copy(view.rows(), view.cols());
  for (size_t r = 0; r < view.rows(); ++r) {
    std::copy_n(view.Row(r), view.cols(), copy.view().Row(r));
  }
  return copy;
}

}  // namespace

ModelPlan GoldenPlan() {
  ModelPlan plan;
  plan.decoder = {.max_rows = 1024,
                  .max_logit_rows = 1024,
                  .max_segments = 16,
                  .max_context_tokens = kMaxContextTokens};
  plan.max_patches = 512;
  return plan;
}

std::unique_ptr<Model> LoadGoldenModel(const std::filesystem::path& directory,
                                       WeightFormat weight_format, ThreadPool& pool,
                                       KvType kv_type) {
  Result<Checkpoint> checkpoint = Checkpoint::Open(directory);
  OCELLI_CHECK(checkpoint.ok(), "{}", checkpoint.error().message);
  ModelPlan plan = GoldenPlan();
  plan.decoder.kv_type = kv_type;
  plan.weight_format = weight_format;
  Result<std::unique_ptr<Model>> model = Model::Load(*checkpoint, plan, pool);
  OCELLI_CHECK(model.ok(), "{}", model.error().message);
  return *std::move(model);
}

std::vector<VisionFeatures> EncodePictures(Model& model, const GoldenCase& golden) {
  std::vector<VisionFeatures> features;
  size_t first_patch = 0;
  for (size_t i = 0; i < golden.num_pictures(); ++i) {
    const int64_t* grid = &golden["image_grid_thw"].integers[3 * i];
    const auto grid_h = static_cast<size_t>(grid[1]);
    const auto grid_w = static_cast<size_t>(grid[2]);
    const Mat<float> pixel_values =
        FirstTemporalStep(golden["pixel_values"].FloatMat().Rows(first_patch, grid_h * grid_w),
                          model.config().vision_config);
    first_patch += grid_h * grid_w;
    VisionPass pass = model.vision_encoder().Begin(pixel_values.view(), grid_h, grid_w);
    while (pass.Step()) {
    }
    features.push_back(pass.TakeFeatures());
  }
  return features;
}

PoisonedBlocks::PoisonedBlocks(const Model& model, size_t num_tokens)
    : arena_(model.kv_layout(), KvLayout::BlocksFor(num_tokens)) {
  const size_t block_bytes = model.kv_layout().BlockBytes();
  for (KvBlockId block = 0; block < arena_.num_blocks(); ++block) {
    std::fill_n(arena_.Data(block), block_bytes, std::byte{0xFF});  // NaN in every format
  }
}

GoldenSequence::GoldenSequence(Model& model, std::vector<int32_t> prompt,
                               const std::vector<VisionFeatures>& pictures,
                               const GoldenCase& golden, PoisonedBlocks& unused_blocks)
    : tokens_(std::move(prompt)),
      spans_(FindPictures(model, tokens_, golden)),
      features_(pictures),
      rope_index_(tokens_.size(), spans_),
      unused_blocks_(unused_blocks) {}

DecoderSegment GoldenSequence::Next(size_t count, size_t num_logits) {
  const size_t first = num_done_;
  num_done_ += count;
  OCELLI_CHECK(num_done_ <= tokens_.size(), "{} of {} tokens", num_done_, tokens_.size());
  while (blocks_.size() < KvLayout::BlocksFor(num_done_)) blocks_.push_back(unused_blocks_.Next());
  position_ids_ = Mat<int32_t>(3, count);
  rope_index_.CopyTo(first, position_ids_.view());
  picture_rows_.clear();
  for (size_t i = 0; i < spans_.size(); ++i) {
    const size_t begin = std::max(first, spans_[i].first_token);
    const size_t end = std::min(num_done_, spans_[i].first_token + spans_[i].num_tokens());
    if (begin >= end) continue;
    picture_rows_.push_back(
        {begin - first, end - begin, begin - spans_[i].first_token, &features_[i]});
  }
  return {std::span<const int32_t>(tokens_).subspan(first, count),
          picture_rows_,
          position_ids_.view(),
          first,
          blocks_,
          num_logits};
}

int32_t Argmax(MatView<const float> logits, size_t row) {
  const float* begin = logits.Row(row);
  return static_cast<int32_t>(std::max_element(begin, begin + logits.cols()) - begin);
}

GoldenRun RunGolden(Model& model, const GoldenCase& golden,
                    const std::vector<VisionFeatures>& pictures, size_t chunk, size_t num_answers) {
  const size_t vocab_size = model.config().text_config.vocab_size;
  PoisonedBlocks blocks(model, kMaxContextTokens);
  GoldenSequence sequence(model, golden.input_ids(), pictures, golden, blocks);
  GoldenRun run;
  run.logits = Mat<float>(sequence.num_tokens(), vocab_size);
  run.answer_logits = Mat<float>(num_answers, vocab_size);
  const auto keep_hidden = [&](size_t, MatView<const float> hidden) {
    run.hidden.push_back(CopyOf(hidden));
  };
  const HiddenObserver observer = keep_hidden;
  if (chunk == 0) chunk = sequence.num_tokens();
  while (sequence.num_done() < sequence.num_tokens()) {
    const size_t first = sequence.num_done();
    const size_t count = std::min(chunk, sequence.num_tokens() - first);
    const DecoderSegment segment = sequence.Next(count, count);
    const MatView<const float> logits = model.text_decoder().Forward(
        {&segment, 1}, count == sequence.num_tokens() ? &observer : nullptr);
    std::copy_n(logits.data(), count * vocab_size, run.logits.view().Row(first));
  }
  if (num_answers == 0) return run;
  run.answers.push_back(Argmax(run.logits.view(), run.logits.rows() - 1));
  for (size_t i = 0; i < num_answers; ++i) {
    sequence.Append(run.answers.back());
    const DecoderSegment segment = sequence.Next(1, 1);
    const MatView<const float> logits = model.text_decoder().Forward({&segment, 1});
    std::copy_n(logits.data(), vocab_size, run.answer_logits.view().Row(i));
    if (run.answers.size() < num_answers) run.answers.push_back(Argmax(logits, 0));
  }
  return run;
}

}  // namespace ocelli
