#ifndef OCELLI_MODEL_VISION_FEATURES_H_
#define OCELLI_MODEL_VISION_FEATURES_H_

#include <cstddef>
#include <vector>

#include "checkpoint/model_config.h"
#include "tensor/mat.h"

namespace ocelli {

// What the decoder needs to know of one picture; depends on the picture alone, not on the prompt.
struct VisionFeatures {
  Mat<float> embeds;                  // [tokens, out_hidden_size]: in place of token embeddings
  std::vector<Mat<float>> deepstack;  // [i]: [tokens, out_hidden_size], added after decoder layer i

  VisionFeatures() = default;
  VisionFeatures(const VisionConfig& config, size_t num_tokens);

  size_t num_tokens() const { return embeds.rows(); }
  size_t size_bytes() const { return BytesFor(deepstack.size(), embeds.cols(), embeds.rows()); }
  // Returns the size of the features of a picture of `num_tokens` tokens.
  static size_t BytesFor(size_t num_deepstack, size_t out_hidden_size, size_t num_tokens) {
    return (1 + num_deepstack) * num_tokens * out_hidden_size * sizeof(float);
  }
};

inline VisionFeatures::VisionFeatures(const VisionConfig& config, size_t num_tokens)
    : embeds(num_tokens, config.out_hidden_size) {
  for (size_t i = 0; i < config.deepstack_visual_indexes.size(); ++i) {
    deepstack.emplace_back(num_tokens, config.out_hidden_size);
  }
}

}  // namespace ocelli

#endif  // OCELLI_MODEL_VISION_FEATURES_H_
