#ifndef OCELLI_MODEL_WEIGHTS_H_
#define OCELLI_MODEL_WEIGHTS_H_

#include <cstddef>
#include <vector>

#include "checkpoint/model_config.h"
#include "kernels/packed_matrix.h"
#include "tensor/mat.h"

namespace ocelli {

// y = x weight^T + bias.
struct LinearWeights {
  PackedMatrix weight;      // [N, K]
  std::vector<float> bias;  // [N]
};

struct LayerNormWeights {
  std::vector<float> weight;  // [C]
  std::vector<float> bias;    // [C]
};

// **Ref**: Qwen3VLVisionBlock. C = hidden_size, I = intermediate_size.
struct VisionBlockWeights {
  LayerNormWeights norm1;    // [C]
  LinearWeights qkv;         // [3C, C]
  LinearWeights proj;        // [C, C]
  LayerNormWeights norm2;    // [C]
  LinearWeights linear_fc1;  // [I, C]
  LinearWeights linear_fc2;  // [C, I]
};

// **Ref**: Qwen3VLVisionPatchMerger. M = merged_size, O = out_hidden_size.
struct PatchMergerWeights {
  LayerNormWeights norm;     // merger: [C], before the shuffle; deepstack: [M], after it
  LinearWeights linear_fc1;  // [M, M]
  LinearWeights linear_fc2;  // [O, M]
};

// **Ref**: Qwen3VLVisionModel.
struct VisionWeights {
  LinearWeights patch_embed;  // [C, in_channels * patch_size^2]: the temporal kernels summed
  Mat<float> pos_embed;       // [num_position_embeddings, C]
  std::vector<VisionBlockWeights> blocks;  // [depth]
  PatchMergerWeights merger;
  std::vector<PatchMergerWeights> deepstack_merger_list;  // [deepstack_visual_indexes]
};

// **Ref**: Qwen3VLTextDecoderLayer. C = hidden_size, D = head_dim, I = intermediate_size.
struct TextLayerWeights {
  std::vector<float> input_layernorm;           // [C]
  PackedMatrix qkv_proj;                        // [q_size + 2 kv_size, C]: q, then k, then v
  std::vector<float> q_norm;                    // [D]
  std::vector<float> k_norm;                    // [D]
  PackedMatrix o_proj;                          // [C, q_size]
  std::vector<float> post_attention_layernorm;  // [C]
  PackedMatrix gate_up_proj;                    // [2I, C]: gate, then up
  PackedMatrix down_proj;                       // [C, I]
};

// **Ref**: Qwen3VLTextModel and lm_head.
struct TextWeights {
  PackedMatrix embed_tokens;             // [vocab_size, C]
  std::vector<TextLayerWeights> layers;  // [num_hidden_layers]
  std::vector<float> norm;               // [C]
  PackedMatrix untied_lm_head;           // [vocab_size, C], empty when embeddings are tied

  const PackedMatrix& lm_head() const {
    return untied_lm_head.num_outputs() == 0 ? embed_tokens : untied_lm_head;
  }
};

// All weights of a model, held once and without loss: a matrix in the wanted format when every
// number of it is exactly bf16, as float32 otherwise; norms, biases and position embeddings as
// float32.
struct ModelWeights {
  VisionWeights visual;
  TextWeights language_model;

  size_t size_bytes() const;
};

// Returns what LoadWeights would take at most if all matrices were held as `format`.
size_t EstimateWeightBytes(const ModelConfig& config, WeightFormat format);

}  // namespace ocelli

#endif  // OCELLI_MODEL_WEIGHTS_H_
