#ifndef OCELLI_ENGINE_FAKE_MODEL_RUNNER_H_
#define OCELLI_ENGINE_FAKE_MODEL_RUNNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/model_runner.h"
#include "kernels/attention.h"
#include "tensor/mat.h"

namespace ocelli {

// For tests: a model without maths whose every logit depends, by hashing, on the whole chain of
// tokens and pictures, read back from its KV blocks as a real one would. A wrong block, a block
// given up too early, a wrong picture or a wrong offset changes every answer that follows.
class FakeModelRunner : public ModelRunner {
 public:
  static constexpr size_t kVocabSize = 300;
  static constexpr TokenId kImageToken = 268;
  static constexpr TokenId kEos = 258;
  static constexpr uint64_t kBlockBytes = 1000;
  static constexpr uint64_t kImageTokenBytes = 10;
  static constexpr size_t kEncoderSteps = 5;

  // Lets a test shape the logits that follow `token_id` at place `token` of its sequence.
  using Shape = std::function<void(TokenId token_id, size_t token, std::span<float> logits)>;

  explicit FakeModelRunner(Shape shape = {});

  const ModelTraits& traits() const override { return traits_; }
  void Plan(const RunnerPlan& plan) override;
  MatView<const float> Forward(std::span<const ForwardSegment> segments) override;
  void CopyBlock(KvBlockId from, KvBlockId to) override {
    kv_[to] = kv_[from];
    ++num_copies_;
  }
  std::unique_ptr<EncodeJob> StartEncode(std::shared_ptr<const Patches> patches) override;

  // What happened, for tests. Rows of each Forward, in segment order.
  struct Pass {
    std::vector<size_t> rows;
    std::vector<size_t> first_tokens;
  };
  const std::vector<Pass>& passes() const { return passes_; }
  size_t num_rows() const { return num_rows_; }
  size_t num_encoder_steps() const { return num_encoder_steps_; }
  size_t num_encodes() const { return num_encodes_; }
  size_t num_copies() const { return num_copies_; }  // of blocks
  bool is_encoding() const { return is_encoding_; }
  std::function<void()> on_forward;  // called first in each Forward

 private:
  class Job;
  void ComputeRow(const ForwardSegment& segment, size_t row);
  uint64_t InputOf(const ForwardSegment& segment, size_t row) const;
  uint64_t& Slot(const ForwardSegment& segment, size_t token);
  void WriteLogits(const ForwardSegment& segment, size_t row, std::span<float> logits);

  ModelTraits traits_;
  RunnerPlan plan_;
  Shape shape_;
  std::vector<std::array<uint64_t, kKvBlockTokens>> kv_;
  Mat<float> logits_;
  std::vector<Pass> passes_;
  size_t num_rows_ = 0;
  size_t num_encoder_steps_ = 0;
  size_t num_encodes_ = 0;
  size_t num_copies_ = 0;
  bool is_encoding_ = false;
};

// Returns patches of a picture that only has a key, a size and tokens: rows x cols image tokens.
std::shared_ptr<const Patches> FakePatches(uint64_t key, size_t token_rows, size_t token_cols);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_FAKE_MODEL_RUNNER_H_
