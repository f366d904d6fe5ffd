#include "model/test_weights.h"

#include <algorithm>
#include <bit>
#include <random>
#include <utility>

#include "base/bf16.h"
#include "checkpoint/expected_tensors.h"

namespace ocelli {
namespace {

float Draw(const TensorSpec& tensor, std::mt19937& random, bool exact_bf16) {
  const bool norm = tensor.shape.size() == 1 && tensor.name.ends_with("weight");
  const float centre = norm ? 1.0f : 0.0f;
  const float spread = tensor.shape.size() == 1 ? 0.1f : 0.2f;
  std::uniform_real_distribution<float> uniform(centre - spread, centre + spread);
  const float value = ToFloat(RoundToBf16(uniform(random)));
  // Bits below bf16's last make a number of nearly the same size that bf16 cannot hold.
  return exact_bf16 ? value : std::bit_cast<float>(std::bit_cast<uint32_t>(value) | 0x5A5Bu);
}

}  // namespace

ModelConfig SmallConfig() {
  ModelConfig config;
  VisionConfig& vision = config.vision_config;
  vision.depth = 3;
  vision.hidden_size = 40;
  vision.intermediate_size = 52;
  vision.num_heads = 2;
  vision.patch_size = 4;
  vision.temporal_patch_size = 2;
  vision.spatial_merge_size = 2;
  vision.out_hidden_size = 36;
  vision.num_position_embeddings = 25;
  vision.deepstack_visual_indexes = {0, 2};
  TextConfig& text = config.text_config;
  text.hidden_size = 36;
  text.intermediate_size = 50;
  text.num_hidden_layers = 3;
  text.num_attention_heads = 4;
  text.num_key_value_heads = 2;
  text.head_dim = 12;
  text.vocab_size = 75;
  text.max_position_embeddings = 512;
  text.rope_theta = 10000.0;
  text.mrope_section = {2, 2, 2};
  config.tie_word_embeddings = true;
  config.image_token_id = 70;
  return config;
}

TestWeights::TestWeights(ModelConfig config, bool exact_bf16, uint32_t seed)
    : config_(std::move(config)) {
  std::mt19937 random(seed);
  for (const TensorSpec& tensor : ExpectedTensors(config_)) {
    std::vector<float>& numbers = tensors_[tensor.name];
    numbers.resize(tensor.NumElements());
    for (float& number : numbers) number = Draw(tensor, random, exact_bf16);
  }
}

Result<TensorView> TestWeights::Tensor(std::string_view name, std::span<const size_t> shape) {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    return Error{ErrorCode::kNotFound, "no tensor " + std::string(name), std::string(name)};
  }
  TensorView tensor{
      DType::kFloat32, {shape.begin(), shape.end()}, std::as_bytes(std::span(found->second))};
  if (tensor.NumElements() != found->second.size()) {
    return Error{ErrorCode::kCorruptData, "shape of " + std::string(name), std::string(name)};
  }
  max_live_ = std::max(max_live_, ++num_live_);
  return tensor;
}

void TestWeights::Release(const TensorView&) { --num_live_; }

}  // namespace ocelli
