#ifndef OCELLI_CHECKPOINT_MODEL_CONFIG_H_
#define OCELLI_CHECKPOINT_MODEL_CONFIG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "checkpoint/fp8.h"

namespace ocelli {

// Sizes of the vision encoder, named as transformers' Qwen3VLVisionConfig names them.
struct VisionConfig {
  size_t depth = 0;
  size_t hidden_size = 0;
  size_t intermediate_size = 0;
  size_t num_heads = 0;
  size_t in_channels = 3;
  size_t patch_size = 0;           // pixels
  size_t temporal_patch_size = 0;  // frames
  size_t spatial_merge_size = 0;   // patches a side that become one token
  size_t out_hidden_size = 0;
  size_t num_position_embeddings = 0;            // a square
  std::vector<size_t> deepstack_visual_indexes;  // increasing; feature i is taken after block [i]

  size_t head_dim() const { return hidden_size / num_heads; }
  // Returns the floats of one patch: in_channels * temporal_patch_size * patch_size^2.
  size_t patch_floats() const {
    return in_channels * temporal_patch_size * patch_size * patch_size;
  }
  // Returns the width of one merged token inside the mergers: hidden_size * spatial_merge_size^2.
  size_t merged_size() const { return hidden_size * spatial_merge_size * spatial_merge_size; }
  // Returns the side of the square grid of position embeddings.
  size_t num_grid_per_side() const;
};

// Sizes of the text decoder, named as transformers' Qwen3VLTextConfig names them.
struct TextConfig {
  size_t hidden_size = 0;
  size_t intermediate_size = 0;
  size_t num_hidden_layers = 0;
  size_t num_attention_heads = 0;
  size_t num_key_value_heads = 0;
  size_t head_dim = 0;
  size_t vocab_size = 0;
  size_t max_position_embeddings = 0;
  double rms_norm_eps = 1e-6;
  double rope_theta = 0;
  std::array<size_t, 3> mrope_section{};  // rotary pairs for t, h, w; sums to head_dim / 2

  // Returns num_attention_heads * head_dim, which need not equal hidden_size.
  size_t q_size() const { return num_attention_heads * head_dim; }
  // Returns num_key_value_heads * head_dim.
  size_t kv_size() const { return num_key_value_heads * head_dim; }
};

// A dense Qwen3-VL model of any size. One that ParseModelConfig returned is consistent: every
// division that its members imply is exact and every product of two sizes fits 48 bits.
struct ModelConfig {
  VisionConfig vision_config;
  TextConfig text_config;
  bool tie_word_embeddings = false;  // lm_head is model.language_model.embed_tokens
  int32_t image_token_id = 0;
  int32_t video_token_id = 0;
  int32_t vision_start_token_id = 0;
  int32_t vision_end_token_id = 0;
  std::vector<int32_t> eos_token_ids;  // what config.json says; generation_config.json overrules it
  std::optional<Fp8Blocks> fp8;        // matrices may be float8_e4m3 with a scale for each block
};

// Reads the text of a config.json of model_type qwen3_vl, of either style (rope_theta and
// rope_scaling, or rope_parameters), with plain weights or those of the FP8 releases (quant_method
// "fp8" with a weight_block_size). `file` is named in messages.
// **Errors**: kCorruptData for text that is not JSON; kUnsupported for another model and for
// variants that we do not compute; kInvalidArgument for values that make no sense.
Result<ModelConfig> ParseModelConfig(std::string_view json, std::string_view file);

// Reads and parses a config.json. **Errors**: as ParseModelConfig and ReadFile.
Result<ModelConfig> ReadModelConfig(const std::filesystem::path& path);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_MODEL_CONFIG_H_
