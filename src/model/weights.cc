#include "model/weights.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/rounding.h"
#include "checkpoint/expected_tensors.h"

namespace ocelli {
namespace {

constexpr char kPatchEmbed[] = "model.visual.patch_embed.proj.weight";
constexpr char kPosEmbed[] = "model.visual.pos_embed.weight";
// Above this share of escapes (4 bytes each, and work for each) 12 bits gain too little.
constexpr double kMostEscapes = 0.01;

// Copies tensors from a source. The first error sticks and makes the rest do nothing, so that the
// functions below read as lists of what a model consists of.
class Loader {
 public:
  Loader(WeightSource& source, WeightFormat wanted, ThreadPool& pool, const LoadProgress& progress)
      : source_(source),
        wanted_(wanted),
        pool_(pool),
        progress_(progress),
        total_(ExpectedTensors(source.config()).size()) {}

  const Status& status() const { return status_; }

  void Vector(const std::string& name, size_t size, std::vector<float>& out) {
    out.resize(size);
    Floats(name, {size}, out);
  }

  void Norm(const std::string& name, size_t size, LayerNormWeights& out) {
    Vector(name + ".weight", size, out.weight);
    Vector(name + ".bias", size, out.bias);
  }

  void Floats(const std::string& name, std::vector<size_t> shape, std::span<float> out) {
    const TensorView tensor = Fetch(name, shape);
    if (!status_.ok()) return;
    WidenTo(tensor, 0, out);
    Release(tensor);
  }

  struct Part {
    std::string name;
    size_t outputs = 0;
  };
  // Packs matrices with the same inputs one under the other.
  void Matrix(std::initializer_list<Part> parts, size_t inputs, PackedMatrix& out) {
    std::vector<TensorView> tensors;
    size_t outputs = 0;
    for (const Part& part : parts) {
      tensors.push_back(Fetch(part.name, {part.outputs, inputs}));
      outputs += part.outputs;
    }
    if (status_.ok()) out = Pack(tensors, outputs, inputs);
  }

  void Linear(const std::string& name, size_t outputs, size_t inputs, LinearWeights& out) {
    Matrix({{name + ".weight", outputs}}, inputs, out.weight);
    Vector(name + ".bias", outputs, out.bias);
  }

  // Packs numbers that are no tensor of the source.
  PackedMatrix PackFloats(std::span<const float> numbers, size_t outputs, size_t inputs) {
    const TensorView view{DType::kFloat32, {outputs, inputs}, std::as_bytes(numbers)};
    PackedMatrix matrix(outputs, inputs, FormatOf({&view, 1}));
    matrix.SetRows(0, view, pool_);
    return Compress(std::move(matrix));
  }

 private:
  TensorView Fetch(const std::string& name, std::vector<size_t> shape) {
    if (!status_.ok()) return {};
    Result<TensorView> tensor = source_.Tensor(name, shape);
    if (tensor.ok()) return *std::move(tensor);
    status_ = std::move(tensor).error();
    return {};
  }

  void Release(const TensorView& tensor) {
    source_.Release(tensor);
    ++done_;
    if (progress_) progress_(done_, total_);
  }

  // Returns the format that tensors are first packed in.
  WeightFormat FormatOf(std::span<const TensorView> tensors) {
    if (wanted_ == WeightFormat::kFloat32) return wanted_;
    const bool exact = std::all_of(tensors.begin(), tensors.end(), [&](const TensorView& tensor) {
      return AllExactBf16(tensor, pool_);
    });
    return exact ? WeightFormat::kBf16 : WeightFormat::kFloat32;
  }

  PackedMatrix Pack(std::span<const TensorView> tensors, size_t outputs, size_t inputs) {
    PackedMatrix matrix(outputs, inputs, FormatOf(tensors));
    size_t first_output = 0;
    for (const TensorView& tensor : tensors) {
      matrix.SetRows(first_output, tensor, pool_);
      first_output += tensor.shape[0];
      Release(tensor);
    }
    return Compress(std::move(matrix));
  }

  PackedMatrix Compress(PackedMatrix matrix) {
    if (wanted_ != WeightFormat::kPacked12 || matrix.format() != WeightFormat::kBf16) return matrix;
    PackedMatrix compressed = matrix.Compressed(pool_);
    return compressed.EscapeShare() <= kMostEscapes ? std::move(compressed) : std::move(matrix);
  }

  WeightSource& source_;
  const WeightFormat wanted_;
  ThreadPool& pool_;
  const LoadProgress& progress_;
  size_t total_ = 0;
  size_t done_ = 0;
  Status status_;
};

// A still picture fills every temporal step of a patch with the same pixels, so the kernels of the
// steps act as their sum: half the multiplications. The sum of two bf16 numbers is exact in float32
// unless they are 2^16 times apart, and then it rounds where the sum of products would.
void LoadPatchEmbed(Loader& loader, const VisionConfig& config, LinearWeights& out) {
  const size_t steps = config.temporal_patch_size;
  const size_t area = config.patch_size * config.patch_size;
  const size_t channels = config.hidden_size * config.in_channels;  // of the kernel
  std::vector<float> kernel(channels * steps * area);
  loader.Floats(
      kPatchEmbed,
      {config.hidden_size, config.in_channels, steps, config.patch_size, config.patch_size},
      kernel);
  std::vector<float> sum(channels * area);
  for (size_t i = 0; i < sum.size(); ++i) {
    const float* pixel = &kernel[i / area * steps * area + i % area];
    for (size_t step = 0; step < steps; ++step) sum[i] += pixel[step * area];
  }
  out.weight = loader.PackFloats(sum, config.hidden_size, config.in_channels * area);
  loader.Vector("model.visual.patch_embed.proj.bias", config.hidden_size, out.bias);
}

void LoadBlock(Loader& loader, const VisionConfig& config, const std::string& name,
               VisionBlockWeights& out) {
  const size_t size = config.hidden_size;
  loader.Norm(name + ".norm1", size, out.norm1);
  loader.Linear(name + ".attn.qkv", 3 * size, size, out.qkv);
  loader.Linear(name + ".attn.proj", size, size, out.proj);
  loader.Norm(name + ".norm2", size, out.norm2);
  loader.Linear(name + ".mlp.linear_fc1", config.intermediate_size, size, out.linear_fc1);
  loader.Linear(name + ".mlp.linear_fc2", size, config.intermediate_size, out.linear_fc2);
}

void LoadMerger(Loader& loader, const VisionConfig& config, const std::string& name,
                size_t norm_size, PatchMergerWeights& out) {
  const size_t merged_size = config.merged_size();
  loader.Norm(name + ".norm", norm_size, out.norm);
  loader.Linear(name + ".linear_fc1", merged_size, merged_size, out.linear_fc1);
  loader.Linear(name + ".linear_fc2", config.out_hidden_size, merged_size, out.linear_fc2);
}

void LoadVision(Loader& loader, const VisionConfig& config, VisionWeights& out) {
  const std::string name = "model.visual.";
  LoadPatchEmbed(loader, config, out.patch_embed);
  out.pos_embed = Mat<float>(config.num_position_embeddings, config.hidden_size);
  loader.Floats(kPosEmbed, {out.pos_embed.rows(), out.pos_embed.cols()},
                {out.pos_embed.data(), out.pos_embed.rows() * out.pos_embed.cols()});
  out.blocks.resize(config.depth);
  for (size_t i = 0; i < config.depth; ++i) {
    LoadBlock(loader, config, name + "blocks." + std::to_string(i), out.blocks[i]);
  }
  LoadMerger(loader, config, name + "merger", config.hidden_size, out.merger);
  out.deepstack_merger_list.resize(config.deepstack_visual_indexes.size());
  for (size_t i = 0; i < out.deepstack_merger_list.size(); ++i) {
    LoadMerger(loader, config, name + "deepstack_merger_list." + std::to_string(i),
               config.merged_size(), out.deepstack_merger_list[i]);
  }
}

void LoadLayer(Loader& loader, const TextConfig& config, const std::string& name,
               TextLayerWeights& out) {
  const size_t size = config.hidden_size;
  loader.Vector(name + ".input_layernorm.weight", size, out.input_layernorm);
  loader.Matrix({{name + ".self_attn.q_proj.weight", config.q_size()},
                 {name + ".self_attn.k_proj.weight", config.kv_size()},
                 {name + ".self_attn.v_proj.weight", config.kv_size()}},
                size, out.qkv_proj);
  loader.Vector(name + ".self_attn.q_norm.weight", config.head_dim, out.q_norm);
  loader.Vector(name + ".self_attn.k_norm.weight", config.head_dim, out.k_norm);
  loader.Matrix({{name + ".self_attn.o_proj.weight", size}}, config.q_size(), out.o_proj);
  loader.Vector(name + ".post_attention_layernorm.weight", size, out.post_attention_layernorm);
  loader.Matrix({{name + ".mlp.gate_proj.weight", config.intermediate_size},
                 {name + ".mlp.up_proj.weight", config.intermediate_size}},
                size, out.gate_up_proj);
  loader.Matrix({{name + ".mlp.down_proj.weight", size}}, config.intermediate_size, out.down_proj);
}

void LoadText(Loader& loader, const ModelConfig& config, TextWeights& out) {
  const TextConfig& text = config.text_config;
  const std::string name = "model.language_model.";
  // The largest matrices first: while one is packed, its source takes memory too.
  loader.Matrix({{name + "embed_tokens.weight", text.vocab_size}}, text.hidden_size,
                out.embed_tokens);
  if (!config.tie_word_embeddings) {
    loader.Matrix({{"lm_head.weight", text.vocab_size}}, text.hidden_size, out.untied_lm_head);
  }
  out.layers.resize(text.num_hidden_layers);
  for (size_t i = 0; i < out.layers.size(); ++i) {
    LoadLayer(loader, text, name + "layers." + std::to_string(i), out.layers[i]);
  }
  loader.Vector(name + "norm.weight", text.hidden_size, out.norm);
}

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

Result<ModelWeights> LoadWeights(WeightSource& source, WeightFormat wanted, ThreadPool& pool,
                                 const LoadProgress& progress) {
  Loader loader(source, wanted, pool, progress);
  ModelWeights weights;
  LoadText(loader, source.config(), weights.language_model);
  LoadVision(loader, source.config().vision_config, weights.visual);
  OCELLI_RETURN_IF_ERROR(loader.status());
  return weights;
}

namespace {

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
