#include "checkpoint/parameter_counts.h"

#include "checkpoint/expected_tensors.h"

namespace ocelli {

ParameterCounts CountParameters(const ModelConfig& config) {
  ParameterCounts counts;
  for (const TensorSpec& spec : ExpectedTensors(config)) {
    switch (PartOf(spec.name)) {
      case ModelPart::kVision:
        counts.vision += spec.NumElements();
        break;
      case ModelPart::kText:
        counts.text += spec.NumElements();
        break;
      case ModelPart::kEmbedding:
        counts.embedding += spec.NumElements();
        break;
    }
  }
  return counts;
}

}  // namespace ocelli
