#ifndef OCELLI_ENGINE_QWEN_RUNNER_H_
#define OCELLI_ENGINE_QWEN_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "checkpoint/model_config.h"
#include "checkpoint/weight_source.h"
#include "engine/model_runner.h"
#include "model/kv_cache.h"
#include "model/text_decoder.h"
#include "model/vision_encoder.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// The ModelRunner of Qwen3-VL: weights, the planned encoder and decoder, and the memory of the KV
// blocks whose use the engine decides.
class QwenRunner : public ModelRunner {
 public:
  // What does not follow from the checkpoint.
  struct Options {
    size_t max_patches = 0;         // of one picture
    size_t max_context_tokens = 0;  // 0: what the model was trained for
    std::vector<TokenId> eos_token_ids;
  };

  // Loads all weights. `pool` must outlive the runner. **Errors**: as LoadWeights.
  static Result<std::unique_ptr<QwenRunner>> Load(WeightSource& source, const Options& options,
                                                  ThreadPool& pool,
                                                  const LoadProgress& progress = {});
  QwenRunner(const QwenRunner&) = delete;
  QwenRunner& operator=(const QwenRunner&) = delete;

  const ModelTraits& traits() const override { return traits_; }
  void Plan(const RunnerPlan& plan) override;
  MatView<const float> Forward(std::span<const ForwardSegment> segments) override;
  void CopyBlock(KvBlockId from, KvBlockId to) override;
  std::unique_ptr<EncodeJob> StartEncode(std::shared_ptr<const Patches> patches) override;

 private:
  QwenRunner(const ModelConfig& config, ModelWeights weights, const Options& options,
             ThreadPool& pool);
  void AddSegment(const ForwardSegment& segment);

  ModelConfig config_;
  ModelWeights weights_;
  ThreadPool& pool_;
  ModelTraits traits_;
  VisionEncoder vision_encoder_;             // of weights_.visual
  std::optional<TextDecoder> text_decoder_;  // of weights_.language_model; from Plan on
  std::optional<KvPool> kv_pool_;            // from Plan on; the engine decides who uses which

  // The arguments of one Forward, kept to be filled without allocating.
  std::vector<DecoderSegment> segments_;
  std::vector<PictureRows> picture_rows_;  // at most one a segment
  std::vector<float*> blocks_;             // of all segments
  Mat<int32_t> position_ids_;              // [3, max_rows]
  size_t num_rows_ = 0;                    // placed in position_ids_
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_QWEN_RUNNER_H_
