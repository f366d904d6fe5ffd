#ifndef OCELLI_CHECKPOINT_EXPECTED_TENSORS_H_
#define OCELLI_CHECKPOINT_EXPECTED_TENSORS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/model_config.h"

namespace ocelli {

// A tensor that a model needs.
struct TensorSpec {
  std::string name;
  std::vector<size_t> shape;

  size_t NumElements() const;
};

// The parts of a model that are counted apart.
enum class ModelPart { kVision, kText, kEmbedding };

// Returns the part that holds the tensor called `name` (a name of ExpectedTensors): kEmbedding is
// the token embedding and lm_head.
ModelPart PartOf(std::string_view name);

// Returns every tensor of the model of `config`, under the names that Qwen publishes:
//   model.visual.{patch_embed.proj, pos_embed, blocks.I.*, merger.*, deepstack_merger_list.I.*}
//   model.language_model.{embed_tokens, layers.I.*, norm}
//   lm_head.weight (unless tied)
// **Shapes**: [outputs, inputs] for matrices; patch_embed.proj.weight [hidden_size, in_channels,
// temporal_patch_size, patch_size, patch_size]. **Ref**:
// Qwen3VLForConditionalGeneration.state_dict.
std::vector<TensorSpec> ExpectedTensors(const ModelConfig& config);

// Returns the name in ExpectedTensors of the tensor that a checkpoint calls `published`:
// transformers has written the same model with other prefixes ("visual.", "model.layers.",
// "language_model.model.", ...). A name of no known style is returned as it is.
std::string CanonicalTensorName(std::string_view published);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_EXPECTED_TENSORS_H_
