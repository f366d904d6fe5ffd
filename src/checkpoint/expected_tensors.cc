#include "checkpoint/expected_tensors.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace ocelli {
namespace {

constexpr std::string_view kVisual = "model.visual.";
constexpr std::string_view kLanguageModel = "model.language_model.";

// Collects tensors under a prefix.
class Collector {
 public:
  void Add(std::string_view prefix, std::string_view name, std::vector<size_t> shape) {
    tensors_.push_back({fmt::format("{}{}", prefix, name), std::move(shape)});
  }
  // A matrix [outputs, inputs] and its bias.
  void AddLinear(std::string_view prefix, std::string_view name, size_t outputs, size_t inputs) {
    Add(prefix, fmt::format("{}.weight", name), {outputs, inputs});
    Add(prefix, fmt::format("{}.bias", name), {outputs});
  }
  void AddLayerNorm(std::string_view prefix, std::string_view name, size_t width) {
    Add(prefix, fmt::format("{}.weight", name), {width});
    Add(prefix, fmt::format("{}.bias", name), {width});
  }
  std::vector<TensorSpec> Take() { return std::move(tensors_); }

 private:
  std::vector<TensorSpec> tensors_;
};

void AddVisionBlock(const VisionConfig& vision, size_t index, Collector& out) {
  const std::string prefix = fmt::format("{}blocks.{}.", kVisual, index);
  const size_t width = vision.hidden_size;
  out.AddLayerNorm(prefix, "norm1", width);
  out.AddLayerNorm(prefix, "norm2", width);
  out.AddLinear(prefix, "attn.qkv", 3 * width, width);
  out.AddLinear(prefix, "attn.proj", width, width);
  out.AddLinear(prefix, "mlp.linear_fc1", vision.intermediate_size, width);
  out.AddLinear(prefix, "mlp.linear_fc2", width, vision.intermediate_size);
}

// `norm_width` tells the two kinds of merger apart: `merger` normalises patches before it joins
// them, those of deepstack after.
void AddMerger(const VisionConfig& vision, const std::string& prefix, size_t norm_width,
               Collector& out) {
  out.AddLayerNorm(prefix, "norm", norm_width);
  out.AddLinear(prefix, "linear_fc1", vision.merged_size(), vision.merged_size());
  out.AddLinear(prefix, "linear_fc2", vision.out_hidden_size, vision.merged_size());
}

void AddVision(const VisionConfig& vision, Collector& out) {
  out.Add(kVisual, "patch_embed.proj.weight",
          {vision.hidden_size, vision.in_channels, vision.temporal_patch_size, vision.patch_size,
           vision.patch_size});
  out.Add(kVisual, "patch_embed.proj.bias", {vision.hidden_size});
  out.Add(kVisual, "pos_embed.weight", {vision.num_position_embeddings, vision.hidden_size});
  for (size_t i = 0; i < vision.depth; ++i) AddVisionBlock(vision, i, out);
  AddMerger(vision, fmt::format("{}merger.", kVisual), vision.hidden_size, out);
  for (size_t i = 0; i < vision.deepstack_visual_indexes.size(); ++i) {
    AddMerger(vision, fmt::format("{}deepstack_merger_list.{}.", kVisual, i), vision.merged_size(),
              out);
  }
}

void AddDecoderLayer(const TextConfig& text, size_t index, Collector& out) {
  const std::string prefix = fmt::format("{}layers.{}.", kLanguageModel, index);
  const size_t width = text.hidden_size;
  out.Add(prefix, "input_layernorm.weight", {width});
  out.Add(prefix, "post_attention_layernorm.weight", {width});
  out.Add(prefix, "self_attn.q_proj.weight", {text.q_size(), width});
  out.Add(prefix, "self_attn.k_proj.weight", {text.kv_size(), width});
  out.Add(prefix, "self_attn.v_proj.weight", {text.kv_size(), width});
  out.Add(prefix, "self_attn.o_proj.weight", {width, text.q_size()});
  out.Add(prefix, "self_attn.q_norm.weight", {text.head_dim});
  out.Add(prefix, "self_attn.k_norm.weight", {text.head_dim});
  out.Add(prefix, "mlp.gate_proj.weight", {text.intermediate_size, width});
  out.Add(prefix, "mlp.up_proj.weight", {text.intermediate_size, width});
  out.Add(prefix, "mlp.down_proj.weight", {width, text.intermediate_size});
}

// How published prefixes become canonical ones; the first that matches counts.
struct Prefix {
  std::string_view published;
  std::string_view canonical;
};
constexpr std::array<Prefix, 8> kPrefixes = {{
    {"model.visual.", kVisual},                 // transformers 4.57 and later
    {"model.language_model.", kLanguageModel},  //
    {"lm_head.", "lm_head."},                   //
    {"language_model.model.", kLanguageModel},  // a decoder saved as a whole model
    {"language_model.lm_head.", "lm_head."},    //
    {"language_model.", kLanguageModel},        // Qwen3VLModel, without its head
    {"visual.", kVisual},                       // the style of Qwen2-VL
    {"model.", kLanguageModel},                 //
}};

}  // namespace

size_t TensorSpec::NumElements() const {
  return std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>());
}

ModelPart PartOf(std::string_view name) {
  if (name.starts_with(kVisual)) return ModelPart::kVision;
  const bool embedding = name.starts_with("lm_head.") || name.find("embed_tokens") != name.npos;
  return embedding ? ModelPart::kEmbedding : ModelPart::kText;
}

std::vector<TensorSpec> ExpectedTensors(const ModelConfig& config) {
  const TextConfig& text = config.text_config;
  Collector out;
  AddVision(config.vision_config, out);
  out.Add(kLanguageModel, "embed_tokens.weight", {text.vocab_size, text.hidden_size});
  for (size_t i = 0; i < text.num_hidden_layers; ++i) AddDecoderLayer(text, i, out);
  out.Add(kLanguageModel, "norm.weight", {text.hidden_size});
  if (!config.tie_word_embeddings) {
    out.Add("", "lm_head.weight", {text.vocab_size, text.hidden_size});
  }
  return out.Take();
}

std::string CanonicalTensorName(std::string_view published) {
  for (const Prefix& prefix : kPrefixes) {
    if (published.starts_with(prefix.published)) {
      return fmt::format("{}{}", prefix.canonical, published.substr(prefix.published.size()));
    }
  }
  return std::string(published);
}

}  // namespace ocelli
