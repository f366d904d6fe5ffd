#ifndef OCELLI_TESTS_GOLDEN_GOLDEN_SEQUENCE_H_
#define OCELLI_TESTS_GOLDEN_GOLDEN_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "golden_case.h"
#include "model/model.h"

namespace ocelli {

// Room for the largest golden case, and for all cases of a checkpoint in one batch.
ModelPlan GoldenPlan();

// Loads a golden checkpoint; a failure fails the process.
std::unique_ptr<Model> LoadGoldenModel(const std::filesystem::path& directory,
                                       WeightFormat weight_format, ThreadPool& pool,
                                       KvType kv_type = KvType::kFloat32);

// Returns what the encoder makes of every picture of `golden`, from its expected pixel_values.
std::vector<VisionFeatures> EncodePictures(Model& model, const GoldenCase& golden);

// KV blocks full of NaN, dealt one after another: what a sequence has not written must not be read.
class PoisonedBlocks {
 public:
  PoisonedBlocks(const Model& model, size_t num_tokens);

  std::byte* Next() { return arena_.Data(num_dealt_++); }

 private:
  KvArena arena_;
  KvBlockId num_dealt_ = 0;
};

// One sequence as the engine would hold it.
class GoldenSequence {
 public:
  GoldenSequence(Model& model, std::vector<int32_t> prompt,
                 const std::vector<VisionFeatures>& pictures, const GoldenCase& golden,
                 PoisonedBlocks& unused_blocks);

  size_t num_tokens() const { return tokens_.size(); }
  size_t num_done() const { return num_done_; }
  const RopeIndex& rope_index() const { return rope_index_; }

  // Returns the next `count` tokens as a segment, valid until the next call, and counts them done.
  DecoderSegment Next(size_t count, size_t num_logits);
  // Appends an answered token.
  void Append(int32_t token) { tokens_.push_back(token); }

 private:
  std::vector<int32_t> tokens_;
  std::vector<PictureSpan> spans_;
  const std::vector<VisionFeatures>& features_;
  RopeIndex rope_index_;
  PoisonedBlocks& unused_blocks_;
  std::vector<std::byte*> blocks_;
  size_t num_done_ = 0;
  Mat<int32_t> position_ids_;
  std::vector<PictureRows> picture_rows_;
};

// Returns the index of the largest logit, the first among equals.
int32_t Argmax(MatView<const float> logits, size_t row);

// Runs a prompt in chunks of `chunk` tokens (0: whole) and then `num_answers` greedy steps.
struct GoldenRun {
  Mat<float> logits;               // [prompt tokens, vocab]
  std::vector<Mat<float>> hidden;  // [num_hidden_layers + 1]; whole prompts only
  std::vector<int32_t> answers;
  Mat<float> answer_logits;  // [num_answers, vocab]: after each answered token but the last
};
GoldenRun RunGolden(Model& model, const GoldenCase& golden,
                    const std::vector<VisionFeatures>& pictures, size_t chunk, size_t num_answers);

}  // namespace ocelli

#endif  // OCELLI_TESTS_GOLDEN_GOLDEN_SEQUENCE_H_
