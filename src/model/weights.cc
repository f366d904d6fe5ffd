#include "model/weights.h"

#include "base/rounding.h"
#include "checkpoint/expected_tensors.h"

namespace ocelli {
namespace {

constexpr char kPatchEmbed[] = "model.visual.patch_embed.proj.weight";
constexpr char kPosEmbed[] = "model.visual.pos_embed.weight";

size_t SizeBytes(const std::vector<float>& vector) { return vector.size() * sizeof(float); }
size_t SizeBytes(const LinearWeights& linear) {
  return linear.weight.size_bytes() + SizeBytes(linear.bias);
}
size_t SizeBytes(const LayerNormWeights& norm) {
  return SizeBytes(norm.weight) + SizeBytes(norm.bias);
}
size_t SizeBytes(const PatchMergerWeights& merger) {
  return SizeBytes(merger.norm) + SizeBytes(merger.linear_fc1) + SizeBytes(merger.linear_fc2);
}
size_t SizeBytes(const VisionBlockWeights& block) {
  return SizeBytes(block.norm1) + SizeBytes(block.qkv) + SizeBytes(block.proj) +
         SizeBytes(block.norm2) + SizeBytes(block.linear_fc1) + SizeBytes(block.linear_fc2);
}
size_t SizeBytes(const TextLayerWeights& layer) {
  return SizeBytes(layer.input_layernorm) + layer.qkv_proj.size_bytes() + SizeBytes(layer.q_norm) +
         SizeBytes(layer.k_norm) + layer.o_proj.size_bytes() +
         SizeBytes(layer.post_attention_layernorm) + layer.gate_up_proj.size_bytes() +
         layer.down_proj.size_bytes();
}

// Returns the bytes of a matrix of `numbers` numbers. With kPacked12 as many escapes as a matrix
// may have before it is held otherwise, and the tables beside it.
size_t MatrixBytes(size_t numbers, WeightFormat format) {
  switch (format) {
    case WeightFormat::kBf16:
      return numbers * 2;
    case WeightFormat::kFloat32:
      return numbers * sizeof(float);
    case WeightFormat::kPacked12:
      return numbers * 3 / 2 + numbers / 25 + numbers / 256;
  }
  return 0;
}

}  // namespace

size_t ModelWeights::size_bytes() const {
  size_t bytes = SizeBytes(visual.patch_embed) + SizeBytes(visual.merger) +
                 visual.pos_embed.rows() * visual.pos_embed.cols() * sizeof(float) +
                 language_model.embed_tokens.size_bytes() + SizeBytes(language_model.norm) +
                 language_model.untied_lm_head.size_bytes();
  for (const auto& block : visual.blocks) bytes += SizeBytes(block);
  for (const auto& merger : visual.deepstack_merger_list) bytes += SizeBytes(merger);
  for (const auto& layer : language_model.layers) bytes += SizeBytes(layer);
  return bytes;
}

size_t EstimateWeightBytes(const ModelConfig& config, WeightFormat format) {
  size_t bytes = 0;
  for (const TensorSpec& tensor : ExpectedTensors(config)) {
    const size_t numbers = tensor.NumElements();
    if (tensor.shape.size() == 1 || tensor.name == kPosEmbed) {
      bytes += numbers * sizeof(float);
      continue;
    }
    const size_t outputs = RoundUp(tensor.shape[0], kPanelRows);
    const size_t inputs = numbers / tensor.shape[0];
    // The summed patch kernels are seldom bf16 numbers.
    bytes += tensor.name == kPatchEmbed
                 ? outputs * inputs / config.vision_config.temporal_patch_size * sizeof(float)
                 : MatrixBytes(outputs * inputs, format);
  }
  return bytes;
}

}  // namespace ocelli
