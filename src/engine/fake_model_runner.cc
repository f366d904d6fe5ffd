#include "engine/fake_model_runner.h"

#include <utility>

#include "base/check.h"

namespace ocelli {
namespace {

// The finaliser of SplitMix64.
uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9E3779B97F4A7C15 + b + 0x632BE59BD9B4E019;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

class FakePicture : public EncodedPicture {
 public:
  FakePicture(PictureKey key, size_t num_tokens) : key_(key), num_tokens_(num_tokens) {}
  uint64_t Feature(size_t token) const {
    OCELLI_CHECK(token < num_tokens_, "feature {} of {}", token, num_tokens_);
    return Mix(Mix(key_.high, key_.low), token);
  }

 private:
  PictureKey key_;
  size_t num_tokens_;
};

}  // namespace

class FakeModelRunner::Job : public EncodeJob {
 public:
  Job(FakeModelRunner& runner, std::shared_ptr<const Patches> patches)
      : runner_(runner), patches_(std::move(patches)) {
    OCELLI_CHECK(!runner_.is_encoding_, "two pictures are encoded at once");
    runner_.is_encoding_ = true;
    ++runner_.num_encodes_;
  }
  ~Job() override { runner_.is_encoding_ = false; }

  bool Step() override {
    OCELLI_CHECK(done_ < kEncoderSteps, "step {} of an encoder of {}", done_ + 1, kEncoderSteps);
    ++runner_.num_encoder_steps_;
    return ++done_ == kEncoderSteps;
  }
  std::shared_ptr<const EncodedPicture> Take() override {
    OCELLI_CHECK(done_ == kEncoderSteps, "taken after {} steps", done_);
    return std::make_shared<FakePicture>(patches_->key, patches_->image_tokens);
  }

 private:
  FakeModelRunner& runner_;
  std::shared_ptr<const Patches> patches_;
  size_t done_ = 0;
};

FakeModelRunner::FakeModelRunner(Shape shape) : shape_(std::move(shape)) {
  traits_.vocab_size = kVocabSize;
  traits_.max_context_tokens = 2048;
  traits_.num_encoder_steps = kEncoderSteps;
  traits_.spatial_merge_size = 2;
  traits_.max_image_tokens = 64;
  traits_.image_token_id = kImageToken;
  traits_.eos_token_ids = {kEos};
  traits_.kv_block_bytes = kBlockBytes;
  traits_.image_token_bytes = kImageTokenBytes;
}

void FakeModelRunner::Plan(const RunnerPlan& plan) {
  plan_ = plan;
  kv_.resize(plan.num_kv_blocks);
  logits_ = Mat<float>(plan.max_logits, kVocabSize);
}

MatView<const float> FakeModelRunner::Forward(std::span<const ForwardSegment> segments) {
  if (on_forward) on_forward();
  OCELLI_CHECK(!segments.empty() && segments.size() <= plan_.max_segments, "{} segments",
               segments.size());
  Pass pass;
  size_t num_rows = 0;
  size_t num_logits = 0;
  for (const ForwardSegment& segment : segments) {
    const size_t rows = segment.token_ids.size();
    OCELLI_CHECK(rows > 0 && segment.num_logits <= rows, "{} logits of {} rows", segment.num_logits,
                 rows);
    for (size_t row = 0; row < rows; ++row) {
      ComputeRow(segment, row);
      if (row + segment.num_logits < rows) continue;
      OCELLI_CHECK(num_logits < plan_.max_logits, "more than {} logits", plan_.max_logits);
      WriteLogits(segment, row, std::span(logits_.view().Row(num_logits++), kVocabSize));
    }
    pass.rows.push_back(rows);
    pass.first_tokens.push_back(segment.first_token);
    num_rows += rows;
  }
  OCELLI_CHECK(num_rows <= plan_.max_rows, "{} rows, planned {}", num_rows, plan_.max_rows);
  num_rows_ += num_rows;
  passes_.push_back(std::move(pass));
  return std::as_const(logits_).view().Rows(0, num_logits);
}

void FakeModelRunner::ComputeRow(const ForwardSegment& segment, size_t row) {
  const size_t token = segment.first_token + row;
  const uint64_t before = token == 0 ? 0 : Slot(segment, token - 1);
  Slot(segment, token) = Mix(Mix(before, token), InputOf(segment, row));
}

uint64_t FakeModelRunner::InputOf(const ForwardSegment& segment, size_t row) const {
  const bool in_picture = segment.picture != nullptr && row >= segment.picture_row &&
                          row < segment.picture_row + segment.num_picture_rows;
  if (!in_picture) return static_cast<uint64_t>(segment.token_ids[row]);
  OCELLI_CHECK(segment.token_ids[row] == kImageToken, "a picture at token {}",
               segment.token_ids[row]);
  const auto& picture = static_cast<const FakePicture&>(*segment.picture);
  return picture.Feature(segment.picture_token + row - segment.picture_row);
}

uint64_t& FakeModelRunner::Slot(const ForwardSegment& segment, size_t token) {
  OCELLI_CHECK(token / kKvBlockTokens < segment.blocks.size(), "no block for token {}", token);
  return kv_[segment.blocks[token / kKvBlockTokens]][token % kKvBlockTokens];
}

void FakeModelRunner::WriteLogits(const ForwardSegment& segment, size_t row,
                                  std::span<float> logits) {
  const size_t token = segment.first_token + row;
  uint64_t attended = 0;
  for (size_t t = 0; t <= token; ++t) attended = Mix(attended, Slot(segment, t));
  for (size_t id = 0; id < kVocabSize; ++id) {
    logits[id] = static_cast<float>(Mix(attended, id) >> 40) * (8.0f / (1 << 24)) - 4.0f;
  }
  logits[kImageToken] = -100.0f;
  if (shape_) shape_(segment.token_ids[row], token, logits);
}

std::unique_ptr<EncodeJob> FakeModelRunner::StartEncode(std::shared_ptr<const Patches> patches) {
  return std::make_unique<Job>(*this, std::move(patches));
}

std::shared_ptr<const Patches> FakePatches(uint64_t key, size_t token_rows, size_t token_cols) {
  auto patches = std::make_shared<Patches>();
  patches->grid_h = 2 * token_rows;
  patches->grid_w = 2 * token_cols;
  patches->image_tokens = token_rows * token_cols;
  patches->key = {key, token_rows * 1000 + token_cols};
  return patches;
}

}  // namespace ocelli
