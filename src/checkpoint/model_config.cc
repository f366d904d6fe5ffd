#include "checkpoint/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/file.h"
#include "base/quoted.h"
#include "checkpoint/json_fields.h"

namespace ocelli {
namespace {

// Far above every published size, and small enough that the product of two of them, the largest
// being kMaxVocabSize and the merged width 2^16 * 8 * 8, fits 48 bits.
constexpr size_t kMaxWidth = size_t{1} << 16;
constexpr size_t kMaxIntermediateSize = size_t{1} << 18;
constexpr size_t kMaxLayers = 1024;
constexpr size_t kMaxHeads = 1024;
constexpr size_t kMaxHeadDim = 1024;
constexpr size_t kMaxVocabSize = size_t{1} << 22;
constexpr size_t kMaxPositions = size_t{1} << 24;
constexpr size_t kMaxPositionEmbeddings = size_t{1} << 18;
constexpr size_t kMaxPatchSize = 64;
constexpr size_t kMaxTemporalPatchSize = 8;
constexpr size_t kMaxMergeSize = 8;
constexpr size_t kMaxBlockSize = 65'536;
constexpr size_t kMaxConfigBytes = size_t{1} << 20;

// What transformers assumes when config.json does not say.
constexpr size_t kDefaultHeadDim = 128;
const std::vector<size_t> kDefaultMropeSection = {24, 20, 20};
constexpr size_t kDefaultImageTokenId = 151'655;
constexpr size_t kDefaultVideoTokenId = 151'656;
constexpr size_t kDefaultVisionStartTokenId = 151'652;
constexpr size_t kDefaultVisionEndTokenId = 151'653;

size_t SquareRoot(size_t square) {
  return static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(square))));
}

// Refuses what is no dense Qwen3-VL, before any size of it is looked at.
void CheckModelType(JsonFields& fields) {
  constexpr std::string_view kRuns =
      "Ocelli runs dense Qwen3-VL models (model_type \"qwen3_vl\", for example "
      "Qwen/Qwen3-VL-2B-Instruct)";
  const std::string model_type = fields.String("model_type");
  if (model_type.empty()) {
    fields.Fail(ErrorCode::kUnsupported, "model_type", fmt::format("is missing; {}", kRuns));
  } else if (model_type != "qwen3_vl") {
    fields.Fail(ErrorCode::kUnsupported, "model_type",
                fmt::format("is {}; {}", Quoted(model_type), kRuns));
  }
}

// Reads how weights are quantised: block-scaled float8, or not at all. How activations were to be
// rounded (activation_scheme) does not matter: ours are float32.
std::optional<Fp8Blocks> ReadQuantization(JsonFields& fields) {
  if (!fields.Has("quantization_config")) return std::nullopt;
  JsonFields config = fields.Object("quantization_config");
  const std::string method = config.String("quant_method");
  const std::string format = config.String("fmt");
  const std::vector<size_t> block =
      config.Sizes("weight_block_size", 2, kMaxBlockSize, std::vector<size_t>());
  const bool e4m3 = format.empty() || format == "e4m3";
  if (method == "fp8" && e4m3 && block.size() == 2 && block[0] > 0 && block[1] > 0) {
    return Fp8Blocks{block[0], block[1]};
  }
  fields.Fail(
      ErrorCode::kUnsupported, "quantization_config",
      fmt::format("says that the weights are quantised ({}); Ocelli reads bf16, f16 and f32 "
                  "weights and block-scaled FP8 (quant_method \"fp8\", fmt \"e4m3\", a "
                  "weight_block_size): use such a checkpoint",
                  Quoted(method)));
  return std::nullopt;
}

VisionConfig ReadVision(JsonFields fields) {
  VisionConfig vision;
  vision.depth = fields.Size("depth", 1, kMaxLayers);
  vision.hidden_size = fields.Size("hidden_size", 1, kMaxWidth);
  vision.intermediate_size = fields.Size("intermediate_size", 1, kMaxIntermediateSize);
  vision.num_heads = fields.Size("num_heads", 1, kMaxHeads);
  vision.in_channels = fields.Size("in_channels", 3, 3, 3);
  vision.patch_size = fields.Size("patch_size", 1, kMaxPatchSize);
  vision.temporal_patch_size = fields.Size("temporal_patch_size", 1, kMaxTemporalPatchSize);
  vision.spatial_merge_size = fields.Size("spatial_merge_size", 1, kMaxMergeSize);
  vision.out_hidden_size = fields.Size("out_hidden_size", 1, kMaxWidth);
  vision.num_position_embeddings =
      fields.Size("num_position_embeddings", 1, kMaxPositionEmbeddings);
  vision.deepstack_visual_indexes =
      fields.Sizes("deepstack_visual_indexes", kMaxLayers, kMaxLayers);
  fields.RequireString("hidden_act", "gelu_pytorch_tanh");

  fields.Require(vision.hidden_size % vision.num_heads == 0 && vision.head_dim() % 4 == 0,
                 "hidden_size",
                 fmt::format("is {}; it must be num_heads ({}) times a multiple of 4",
                             vision.hidden_size, vision.num_heads));
  fields.Require(vision.head_dim() <= kMaxHeadDim, "num_heads",
                 fmt::format("is {}; heads of {} are wider than {}", vision.num_heads,
                             vision.head_dim(), kMaxHeadDim));
  const size_t side = vision.num_grid_per_side();
  fields.Require(side * side == vision.num_position_embeddings, "num_position_embeddings",
                 fmt::format("is {}, not a square", vision.num_position_embeddings));
  const auto& indexes = vision.deepstack_visual_indexes;
  const bool increasing =
      std::adjacent_find(indexes.begin(), indexes.end(), std::greater_equal<>()) == indexes.end();
  fields.Require(increasing && (indexes.empty() || indexes.back() < vision.depth),
                 "deepstack_visual_indexes",
                 fmt::format("must increase and stay below depth ({})", vision.depth));
  return vision;
}

// Reads a rotary description: rope_parameters (new style) or rope_scaling (old style).
void ReadMrope(JsonFields fields, size_t head_dim, TextConfig& text) {
  // "type" is what transformers before 4.43 wrote; both appear in old files.
  const std::string_view type_key = fields.Has("rope_type") ? "rope_type" : "type";
  const std::string rope_type = fields.String(type_key);
  if (!rope_type.empty() && rope_type != "default" && rope_type != "mrope") {
    fields.Fail(ErrorCode::kUnsupported, type_key,
                fmt::format("is {}; only \"default\" is supported: restore the published "
                            "config.json",
                            Quoted(rope_type)));
  }
  fields.RequireBool("mrope_interleaved", true);
  fields.Require(fields.Number("partial_rotary_factor", 0, 1, 1) == 1, "partial_rotary_factor",
                 "must be 1");
  const auto section = fields.Sizes("mrope_section", 3, kMaxHeadDim, kDefaultMropeSection);
  const size_t pairs = head_dim / 2;
  const bool sums = section.size() == 3 && head_dim % 2 == 0 &&
                    std::accumulate(section.begin(), section.end(), size_t{0}) == pairs;
  fields.Require(
      sums, "mrope_section",
      fmt::format("must be three numbers that sum to head_dim / 2 (head_dim is {})", head_dim));
  if (!sums) return;
  // Interleaved, h and w own every third pair from 1 and 2 on: there must be that many.
  fields.Require(3 * std::max(section[1], section[2]) <= pairs, "mrope_section",
                 fmt::format("gives h or w more than a third of the {} pairs", pairs));
  std::copy(section.begin(), section.end(), text.mrope_section.begin());
}

void ReadRope(JsonFields& fields, TextConfig& text) {
  constexpr double kMaxTheta = 1e12;
  if (fields.Has("rope_parameters")) {
    JsonFields rope = fields.Object("rope_parameters");
    text.rope_theta = rope.Number("rope_theta", 1, kMaxTheta);
    ReadMrope(rope, text.head_dim, text);
    return;
  }
  text.rope_theta = fields.Number("rope_theta", 1, kMaxTheta);
  ReadMrope(fields.Object("rope_scaling"), text.head_dim, text);
}

TextConfig ReadText(JsonFields& fields) {
  TextConfig text;
  text.hidden_size = fields.Size("hidden_size", 1, kMaxWidth);
  text.intermediate_size = fields.Size("intermediate_size", 1, kMaxIntermediateSize);
  text.num_hidden_layers = fields.Size("num_hidden_layers", 1, kMaxLayers);
  text.num_attention_heads = fields.Size("num_attention_heads", 1, kMaxHeads);
  text.num_key_value_heads = fields.Size("num_key_value_heads", 1, kMaxHeads);
  text.head_dim = fields.Size("head_dim", 2, kMaxHeadDim, kDefaultHeadDim);
  text.vocab_size = fields.Size("vocab_size", 1, kMaxVocabSize);
  text.max_position_embeddings = fields.Size("max_position_embeddings", 1, kMaxPositions);
  text.rms_norm_eps = fields.Number("rms_norm_eps", 1e-12, 1);
  fields.RequireString("hidden_act", "silu");
  fields.RequireBool("attention_bias", false);
  fields.Require(text.num_attention_heads % text.num_key_value_heads == 0, "num_attention_heads",
                 fmt::format("is {}; it must be a multiple of num_key_value_heads ({})",
                             text.num_attention_heads, text.num_key_value_heads));
  ReadRope(fields, text);
  return text;
}

void ReadTokenIds(JsonFields& fields, JsonFields& text_fields, ModelConfig& config) {
  const size_t vocab_size = config.text_config.vocab_size;
  const auto id = [&](std::string_view key, size_t fallback) {
    const size_t value = fields.Size(key, 0, vocab_size - 1, fallback);
    fields.Require(value < vocab_size, key, "is missing");
    return static_cast<int32_t>(value);
  };
  config.image_token_id = id("image_token_id", kDefaultImageTokenId);
  config.video_token_id = id("video_token_id", kDefaultVideoTokenId);
  config.vision_start_token_id = id("vision_start_token_id", kDefaultVisionStartTokenId);
  config.vision_end_token_id = id("vision_end_token_id", kDefaultVisionEndTokenId);
  config.eos_token_ids = text_fields.TokenIds("eos_token_id", vocab_size);
}

void CheckTogether(JsonFields& fields, const ModelConfig& config) {
  const VisionConfig& vision = config.vision_config;
  const TextConfig& text = config.text_config;
  fields.Require(vision.out_hidden_size == text.hidden_size, "vision_config.out_hidden_size",
                 fmt::format("is {}, but text_config.hidden_size is {}", vision.out_hidden_size,
                             text.hidden_size));
  fields.Require(vision.deepstack_visual_indexes.size() <= text.num_hidden_layers,
                 "vision_config.deepstack_visual_indexes",
                 fmt::format("has {} entries, more than the {} layers of text_config",
                             vision.deepstack_visual_indexes.size(), text.num_hidden_layers));
}

}  // namespace

size_t VisionConfig::num_grid_per_side() const { return SquareRoot(num_position_embeddings); }

Result<ModelConfig> ParseModelConfig(std::string_view json, std::string_view file) {
  OCELLI_ASSIGN_OR_RETURN(const nlohmann::json object, ParseJsonObject(json, file));
  JsonFields fields(object, file);
  CheckModelType(fields);
  JsonFields text_fields = fields.Object("text_config");
  ModelConfig config;
  config.fp8 = ReadQuantization(fields);
  config.text_config = ReadText(text_fields);
  config.vision_config = ReadVision(fields.Object("vision_config"));
  // The outer value rules, as in transformers 5; older files may have the inner one only.
  config.tie_word_embeddings =
      fields.Bool("tie_word_embeddings", text_fields.Bool("tie_word_embeddings", false));
  ReadTokenIds(fields, text_fields, config);
  CheckTogether(fields, config);
  OCELLI_RETURN_IF_ERROR(fields.status());
  return config;
}

Result<ModelConfig> ReadModelConfig(const std::filesystem::path& path) {
  OCELLI_ASSIGN_OR_RETURN(const std::string json, ReadFile(path, kMaxConfigBytes));
  return ParseModelConfig(json, path.string());
}

}  // namespace ocelli
