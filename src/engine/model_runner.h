#ifndef OCELLI_ENGINE_MODEL_RUNNER_H_
#define OCELLI_ENGINE_MODEL_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/runner_plan.h"
#include "model/kv_cache.h"
#include "model/mrope.h"
#include "picture/patches.h"
#include "tensor/mat.h"
#include "text/tokenizer.h"

namespace ocelli {

// What the engine must know about a model.
struct ModelTraits {
  size_t vocab_size = 0;
  size_t max_context_tokens = 0;  // prompt and answer
  size_t num_encoder_steps = 0;   // calls of EncodeJob::Step for one picture
  size_t spatial_merge_size = 0;  // patches a side that become one image token
  size_t max_image_tokens = 0;    // of one picture
  TokenId image_token_id = 0;
  std::vector<TokenId> eos_token_ids;
  uint64_t kv_block_bytes = 0;     // keys and values of kKvBlockTokens tokens in all layers
  uint64_t image_token_bytes = 0;  // of an EncodedPicture, per image token
};

// A picture as the decoder takes it.
class EncodedPicture {
 public:
  virtual ~EncodedPicture() = default;
};

// A picture on its way through the vision encoder.
class EncodeJob {
 public:
  virtual ~EncodeJob() = default;
  // Computes one more layer; returns whether it was the last.
  virtual bool Step() = 0;
  // Returns the result, once, after Step returned true.
  virtual std::shared_ptr<const EncodedPicture> Take() = 0;
};

// Consecutive tokens of one sequence to compute: row r is token first_token + r. Keys and values of
// the tokens before are in `blocks`, those of these rows go there.
struct ForwardSegment {
  std::span<const TokenId> token_ids;  // [rows]
  size_t first_token = 0;
  const RopeIndex* rope_index = nullptr;
  std::span<const KvBlockId> blocks;        // of the whole sequence, in token order
  const EncodedPicture* picture = nullptr;  // whose image tokens are among the rows; or null
  size_t picture_row = 0;                   // the first of those rows
  size_t picture_token = 0;                 // the image token that it is
  size_t num_picture_rows = 0;
  size_t num_logits = 0;  // of the last rows
};

// The model as the engine sees it; tests have one without maths. **Threads**: one caller at a time.
class ModelRunner {
 public:
  virtual ~ModelRunner() = default;

  virtual const ModelTraits& traits() const = 0;

  // Plans memory, once, before all else. It is budgeted already.
  virtual void Plan(const RunnerPlan& plan) = 0;

  // Computes all rows of `segments` in one pass and returns their logits, valid until the next
  // call. A row's logits do not depend on the other segments nor on how its sequence was cut.
  // **Shapes**: returns [sum of num_logits, vocab_size], in segment order.
  virtual MatView<const float> Forward(std::span<const ForwardSegment> segments) = 0;

  // Copies a KV block, all layers.
  virtual void CopyBlock(KvBlockId from, KvBlockId to) = 0;

  // Begins to encode a picture, which lives as long as the job. One job at a time.
  virtual std::unique_ptr<EncodeJob> StartEncode(std::shared_ptr<const Patches> patches) = 0;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_MODEL_RUNNER_H_
