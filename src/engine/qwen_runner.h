#ifndef OCELLI_ENGINE_QWEN_RUNNER_H_
#define OCELLI_ENGINE_QWEN_RUNNER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "checkpoint/weight_source.h"
#include "engine/engine_options.h"
#include "engine/model_runner.h"
#include "model/model.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// Returns what a model must be planned for to serve an engine of `options`.
ModelPlan PlanModel(const EngineOptions& options, const ModelConfig& config);

// Qwen3-VL as a ModelRunner: turns the engine's block ids and pictures into the model's views.
class QwenRunner : public ModelRunner {
 public:
  // Plans working memory for an engine of `options` beside the weights of a model of `config`.
  // `pool` must outlive the runner.
  static std::unique_ptr<ModelRunner> Make(const ModelConfig& config, ModelWeights weights,
                                           std::vector<TokenId> eos_token_ids,
                                           const EngineOptions& options, ThreadPool& pool);

  const ModelTraits& traits() const override { return traits_; }
  void Plan(const RunnerPlan& plan) override;
  MatView<const float> Forward(std::span<const ForwardSegment> segments) override;
  void CopyBlock(KvBlockId from, KvBlockId to) override;
  std::unique_ptr<EncodeJob> StartEncode(std::shared_ptr<const Patches> patches) override;

 private:
  QwenRunner(std::unique_ptr<Model> model, std::vector<TokenId> eos_token_ids,
             const EngineOptions& options);
  DecoderSegment MakeSegment(const ForwardSegment& segment);

  std::unique_ptr<Model> model_;
  ModelTraits traits_;
  std::optional<KvArena> kv_;
  // Of the current Forward, planned once.
  Mat<int32_t> position_ids_;          // [3, max_rows]
  size_t num_rows_ = 0;                // of position_ids_ in use
  std::vector<std::byte*> kv_blocks_;  // of all segments
  std::vector<PictureRows> pictures_;  // at most one a segment
  std::vector<DecoderSegment> segments_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_QWEN_RUNNER_H_
