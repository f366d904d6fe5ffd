#ifndef OCELLI_MODEL_MODEL_H_
#define OCELLI_MODEL_MODEL_H_

#include <cstddef>
#include <memory>

#include "base/error.h"
#include "checkpoint/model_config.h"
#include "checkpoint/weight_source.h"
#include "kernels/packed_matrix.h"
#include "model/text_decoder.h"
#include "model/vision_encoder.h"
#include "model/weight_loader.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// What a Model is planned for.
struct ModelPlan {
  DecoderPlan decoder;
  size_t max_patches = 0;  // of one picture
  WeightFormat weight_format = WeightFormat::kBf16;
};

// Where the memory of a model goes. **Units**: bytes.
struct ModelMemory {
  size_t weight_bytes = 0;
  size_t encoder_bytes = 0;            // working memory for the planned picture
  size_t decoder_bytes = 0;            // working memory for the planned batch
  size_t kv_block_bytes = 0;           // of each kKvBlockTokens tokens kept
  size_t feature_bytes_per_token = 0;  // of each image token kept

  // Returns what is taken whatever is asked: all but KV blocks and features.
  size_t FixedBytes() const { return weight_bytes + encoder_bytes + decoder_bytes; }
};

// Returns what a model will take, before anything is loaded, if all its matrices can be held as the
// plan says: those of a bf16 checkpoint can.
ModelMemory Estimate(const ModelConfig& config, const ModelPlan& plan, int num_threads);

// A model in memory: config, weights and the planned encoder and decoder that run on them. It knows
// neither requests nor policy. **Threads**: one caller at a time, the owner of `pool`.
class Model {
 public:
  // Loads all weights. `pool` must outlive the model. **Errors**: as LoadWeights.
  static Result<std::unique_ptr<Model>> Load(WeightSource& source, const ModelPlan& plan,
                                             ThreadPool& pool, const LoadProgress& progress = {});
  // Makes a model of weights that are in memory. `pool` must outlive it.
  static std::unique_ptr<Model> Of(const ModelConfig& config, ModelWeights weights,
                                   const ModelPlan& plan, ThreadPool& pool);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelConfig& config() const { return config_; }
  const ModelWeights& weights() const { return weights_; }
  VisionEncoder& vision_encoder() { return vision_encoder_; }
  TextDecoder& text_decoder() { return text_decoder_; }
  const KvLayout& kv_layout() const { return text_decoder_.kv_layout(); }
  // Sums the time of each kernel of the encoder and the decoder in `profile`; null: nothing.
  void SetProfile(PassProfile* profile) {
    vision_encoder_.SetProfile(profile);
    text_decoder_.SetProfile(profile);
  }
  ModelMemory memory() const;

 private:
  Model(const ModelConfig& config, ModelWeights weights, const ModelPlan& plan, ThreadPool& pool);

  ModelConfig config_;
  ModelWeights weights_;
  VisionEncoder vision_encoder_;  // of weights_.visual
  TextDecoder text_decoder_;      // of weights_.language_model
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_MODEL_H_
