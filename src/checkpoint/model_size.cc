#include "checkpoint/model_size.h"

namespace ocelli {
namespace {

constexpr uint64_t kPanelOutputs = 16;

}  // namespace

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

uint64_t KvBytesPerToken(const TextConfig& text) {
  return uint64_t{2} * text.num_hidden_layers * text.kv_size() * sizeof(float);
}

uint64_t LoadedBytes(const TensorSpec& tensor, DType stored) {
  const uint64_t elements = tensor.NumElements();
  if (tensor.shape.size() < 2) return elements * sizeof(float);
  const uint64_t outputs = tensor.shape.front();
  const uint64_t padded = (outputs + kPanelOutputs - 1) / kPanelOutputs * kPanelOutputs;
  return elements / outputs * padded * (stored == DType::kBf16 ? 2 : 4);
}

uint64_t LoadedBytes(const ModelConfig& config, DType stored) {
  uint64_t bytes = 0;
  for (const TensorSpec& spec : ExpectedTensors(config)) bytes += LoadedBytes(spec, stored);
  return bytes;
}

}  // namespace ocelli
