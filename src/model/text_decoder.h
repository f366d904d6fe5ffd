#ifndef OCELLI_MODEL_TEXT_DECODER_H_
#define OCELLI_MODEL_TEXT_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "checkpoint/model_config.h"
#include "kernels/attention.h"
#include "kernels/linear.h"
#include "model/kv_cache.h"
#include "model/mrope.h"
#include "model/pass_profile.h"
#include "model/vision_features.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// Rows of a segment that stand for image tokens: they take their embeddings, and the deepstack
// additions, from a picture.
struct PictureRows {
  size_t first_row = 0;  // in the segment
  size_t count = 0;
  size_t first_feature = 0;  // row of `features`
  const VisionFeatures* features = nullptr;
};

// Consecutive new tokens of one sequence.
struct DecoderSegment {
  std::span<const int32_t> token_ids;     // [rows]; not read at picture rows
  std::span<const PictureRows> pictures;  // inside the rows, in order
  MatView<const int32_t> position_ids;    // [3, rows]
  size_t first_token = 0;                 // place of the first row in its sequence
  KvView kv;                              // blocks of tokens 0 .. first_token + rows - 1
  size_t num_logits = 1;                  // of the last rows
};

// What a TextDecoder is planned for.
struct DecoderPlan {
  size_t max_rows = 0;            // of one Forward, all segments together
  size_t max_logit_rows = 0;      // likewise
  size_t max_segments = 0;        // likewise
  size_t max_context_tokens = 0;  // of one sequence
  KvType kv_type = KvType::kFloat32;
};

// Sees the hidden states of a Forward, for tests: `index` 0 is the embeddings, i the output of
// layer i - 1 before its deepstack addition, num_hidden_layers the final norm's output (only the
// rows that get logits). **Ref**: output_hidden_states of Qwen3VLTextModel.
using HiddenObserver = FunctionRef<void(size_t index, MatView<const float> hidden)>;

// The text decoder with its working memory, planned once. **Ref**: Qwen3VLTextModel and lm_head.
class TextDecoder {
 public:
  // `config`, `weights` and `pool` must outlive this.
  TextDecoder(const TextConfig& config, const TextWeights& weights, const DecoderPlan& plan,
              ThreadPool& pool);
  TextDecoder(const TextDecoder&) = delete;
  TextDecoder& operator=(const TextDecoder&) = delete;

  // Runs the new tokens of several sequences through the model in one batch and writes their keys
  // and values to their blocks. A row's results depend on its own sequence only, to the last bit,
  // however its prompt is cut into calls. Allocates nothing.
  // **Shapes**: returns logits [sum of num_logits, vocab_size], in segment order, valid until the
  // next call. The segments keep within the plan. **Threads**: uses the pool; one caller at a time.
  MatView<const float> Forward(std::span<const DecoderSegment> segments,
                               const HiddenObserver* observer = nullptr) noexcept;

  // Sums the time of each kernel of the following calls in `profile`; null: measures nothing.
  void SetProfile(PassProfile* profile) { profile_ = profile; }

  const DecoderPlan& plan() const { return plan_; }
  const KvLayout& kv_layout() const { return kv_layout_; }
  size_t buffer_bytes() const;
  // Returns what buffer_bytes() would be, without taking it.
  static size_t PlannedBytes(const TextConfig& config, const DecoderPlan& plan, int num_threads);

 private:
  // The rows of a segment that are still being computed: all of them until the last layer, then
  // those that get logits.
  struct ActiveRows {
    const DecoderSegment* segment = nullptr;
    size_t skipped = 0;  // rows of the segment before these
    size_t count = 0;
    size_t batch_row = 0;  // where these rows begin in the buffers

    size_t first_token() const { return segment->first_token + skipped; }
  };

  void Place(std::span<const DecoderSegment> segments);
  void Embed() noexcept;
  void Layer(size_t layer) noexcept;
  void StoreKeysValues(size_t layer) noexcept;
  void KeepLogitRows() noexcept;
  void Attend(size_t layer) noexcept;
  void Mlp(const TextLayerWeights& weights) noexcept;
  void AddDeepstack(size_t layer) noexcept;
  void Norm(const std::vector<float>& weight) noexcept;
  void Multiply(std::string_view name, MatView<const float> x, const PackedMatrix& w,
                MatView<float> y, LinearMode mode) noexcept;
  KernelWork AttentionWork() const;

  MatView<float> Hidden() { return hidden_.Top(num_rows_); }
  MatView<float> Normed() { return normed_.Top(num_rows_); }
  MatView<float> Qkv() {
    return {wide_.data(), num_rows_, config_.q_size() + 2 * config_.kv_size()};
  }
  MatView<float> GateUp() { return {wide_.data(), num_rows_, 2 * config_.intermediate_size}; }

  const TextConfig& config_;
  const TextWeights& weights_;
  DecoderPlan plan_;
  ThreadPool& pool_;
  KvLayout kv_layout_;
  TextRotaryEmbedding rotary_;
  float eps_;
  PassProfile* profile_ = nullptr;

  std::vector<ActiveRows> active_;         // [segments]
  size_t num_rows_ = 0;                    // of all active_
  std::vector<CausalSegment> causal_;      // [segments with rows]
  std::vector<const void*> layer_blocks_;  // KV blocks of all segments in the current layer

  Mat<float> hidden_;  // [max_rows, C] residual stream
  Mat<float> normed_;  // [max_rows, C]
  Mat<float> wide_;    // [max_rows, max(q_size + 2 kv_size, 2I)]: q k v, then gate up; the
                       // attention's output replaces q
  Mat<float> cos_;     // [max_rows, D / 2]
  Mat<float> sin_;     // [max_rows, D / 2]
  Mat<float> logits_;  // [max_logit_rows, vocab_size]
  LinearScratch linear_scratch_;
  AttentionScratch attention_scratch_;
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_TEXT_DECODER_H_
