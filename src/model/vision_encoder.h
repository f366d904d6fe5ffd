#ifndef OCELLI_MODEL_VISION_ENCODER_H_
#define OCELLI_MODEL_VISION_ENCODER_H_

#include <cstddef>
#include <string_view>
#include <utility>

#include "checkpoint/model_config.h"
#include "kernels/attention.h"
#include "kernels/linear.h"
#include "model/pass_profile.h"
#include "model/vision_features.h"
#include "model/vision_position.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

class VisionPass;

// The vision encoder with its working memory, planned once for the largest picture. Work that
// treats rows alone goes through chunks of rows, so only the residual stream and q, k, v are as
// long as the picture. **Ref**: Qwen3VLVisionModel.
class VisionEncoder {
 public:
  // `config`, `weights` and `pool` must outlive this. **Units**: `max_patches` of one picture.
  VisionEncoder(const VisionConfig& config, const VisionWeights& weights, size_t max_patches,
                ThreadPool& pool);
  VisionEncoder(const VisionEncoder&) = delete;
  VisionEncoder& operator=(const VisionEncoder&) = delete;

  // Starts on one picture; the work is done by the pass. One pass lives at a time.
  // **Shapes**: pixel_values [grid_h * grid_w, in_channels * patch_size^2], patches in merge-block
  // order, at most max_patches() of them, grid sides multiples of spatial_merge_size; it is read
  // until the first Step has returned.
  VisionPass Begin(MatView<const float> pixel_values, size_t grid_h, size_t grid_w);

  // Sums the time of each kernel of the following steps in `profile`; null: measures nothing.
  void SetProfile(PassProfile* profile) { profile_ = profile; }

  size_t max_patches() const { return max_patches_; }
  // Returns how many times Step() is called for one picture.
  static size_t NumSteps(const VisionConfig& config) { return config.depth + 2; }
  size_t buffer_bytes() const;
  // Returns what buffer_bytes() would be, without taking it.
  static size_t PlannedBytes(const VisionConfig& config, size_t max_patches, int num_threads);

 private:
  friend class VisionPass;

  void EmbedPatches(MatView<const float> pixel_values, const PatchGrid& grid) noexcept;
  void Block(const VisionBlockWeights& weights, size_t num_patches) noexcept;
  void Attention(const VisionBlockWeights& weights, size_t num_patches) noexcept;
  void Mlp(const VisionBlockWeights& weights, size_t num_patches) noexcept;
  void Merge(const PatchMergerWeights& weights, bool use_postshuffle_norm,
             MatView<float> out) noexcept;
  void Norm(MatView<const float> x, const LayerNormWeights& weights, MatView<float> out) noexcept;
  void Multiply(std::string_view name, MatView<const float> x, const LinearWeights& weights,
                MatView<float> y, LinearMode mode) noexcept;

  const VisionConfig& config_;
  const VisionWeights& weights_;
  ThreadPool& pool_;
  size_t max_patches_;
  size_t chunk_rows_;
  AttentionShape attention_;
  VisionRotaryEmbedding rotary_;
  bool busy_ = false;
  PassProfile* profile_ = nullptr;

  Mat<float> hidden_;  // [max_patches, C] residual stream
  Mat<float> qkv_;     // [max_patches, 3C]; the attention's output replaces q
  Mat<float> cos_;     // [max_patches, head_dim / 2]
  Mat<float> sin_;     // [max_patches, head_dim / 2]
  Mat<float> normed_;  // [chunk_rows, C]
  Mat<float> inner_;   // [chunk_rows, max(I, C)]
  LinearScratch linear_scratch_;
  AttentionScratch attention_scratch_;
};

// One picture on its way through a VisionEncoder, in steps: the patch embedding, each block, the
// merger. Between steps other work may run on the pool, and a pass may be dropped.
class VisionPass {
 public:
  VisionPass(VisionPass&& other) noexcept;
  VisionPass& operator=(VisionPass&& other) noexcept;
  ~VisionPass();

  // Does the next step. Returns false when it was the last. **Threads**: the engine thread only.
  bool Step();

  size_t steps_done() const { return steps_done_; }
  size_t num_steps() const;
  bool done() const { return steps_done_ == num_steps(); }

  // Returns the result of a pass that is done().
  VisionFeatures TakeFeatures();

 private:
  friend class VisionEncoder;
  VisionPass(VisionEncoder& encoder, MatView<const float> pixel_values, const PatchGrid& grid);
  void BlockStep(size_t layer);

  VisionEncoder* encoder_;
  MatView<const float> pixel_values_;
  PatchGrid grid_;
  size_t steps_done_ = 0;
  VisionFeatures features_;
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_VISION_ENCODER_H_
