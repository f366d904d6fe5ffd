#ifndef OCELLI_CHECKPOINT_PARAMETER_COUNTS_H_
#define OCELLI_CHECKPOINT_PARAMETER_COUNTS_H_

#include <cstdint>

#include "checkpoint/model_config.h"

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

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_PARAMETER_COUNTS_H_
