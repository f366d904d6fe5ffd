#ifndef OCELLI_CHECKPOINT_MODEL_SIZE_H_
#define OCELLI_CHECKPOINT_MODEL_SIZE_H_

#include <cstdint>

#include "checkpoint/expected_tensors.h"
#include "checkpoint/model_config.h"
#include "tensor/tensor_view.h"

namespace ocelli {

// Numbers of a model by part; tied embeddings count once.
struct ParameterCounts {
  uint64_t vision = 0;
  uint64_t text = 0;       // decoder layers and the final norm
  uint64_t embedding = 0;  // token embedding and, untied, lm_head

  uint64_t total() const { return vision + text + embedding; }
};

// Counts the numbers of ExpectedTensors(config).
ParameterCounts CountParameters(const ModelConfig& config);

// Returns the bytes of one token's keys and values in all layers, float32.
uint64_t KvBytesPerToken(const TextConfig& text);

// Returns the bytes that a tensor stored as `stored` takes once loaded: matrices keep bf16 or
// become float32, their outputs rounded up to panels of 16; vectors become float32.
uint64_t LoadedBytes(const TensorSpec& tensor, DType stored);

// Returns the bytes that the whole model takes once loaded when every tensor is stored as `stored`.
uint64_t LoadedBytes(const ModelConfig& config, DType stored);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_MODEL_SIZE_H_
