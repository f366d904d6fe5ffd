#ifndef OCELLI_CHECKPOINT_TEST_FILES_H_
#define OCELLI_CHECKPOINT_TEST_FILES_H_

#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/test_directory.h"
#include "checkpoint/expected_tensors.h"
#include "checkpoint/model_config.h"
#include "gtest/gtest.h"

// Files and configs that the tests of this room share. Test code only.
namespace ocelli::testing {

inline std::filesystem::path GoldenPath(std::string_view name) {
  return std::filesystem::path(OCELLI_SOURCE_DIR) / "tests/golden/data" / name;
}

inline std::string ReadAll(const std::filesystem::path& path) {
  return *ReadFile(path, size_t{1} << 30);
}

// Expects that less than a second of processor time passes while it lives: refusals must be quick,
// also on a machine that is busy with other things.
class CpuSecond {
 public:
  ~CpuSecond() { EXPECT_LT(std::clock() - start_, CLOCKS_PER_SEC); }

 private:
  std::clock_t start_ = std::clock();
};

// Returns a safetensors file: the length of `header`, the header, `data`.
inline std::string Safetensors(std::string_view header, std::string_view data) {
  std::string file(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, sizeof(length));
  return file.append(header).append(data);
}

// A tensor to be written.
struct TestTensor {
  std::string name;
  std::string dtype;
  std::vector<size_t> shape;
  std::string bytes;
};

inline std::string Safetensors(const std::vector<TestTensor>& tensors) {
  nlohmann::json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const TestTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  return Safetensors(header.dump(), data);
}

// Returns the tensors of the model of `config` as bf16 ones.
inline std::vector<TestTensor> TensorsOf(const ModelConfig& config) {
  std::vector<TestTensor> tensors;
  for (const TensorSpec& spec : ExpectedTensors(config)) {
    std::string ones;
    for (size_t i = 0; i < spec.NumElements(); ++i) ones += std::string_view("\x80\x3f", 2);
    tensors.push_back({spec.name, "BF16", spec.shape, std::move(ones)});
  }
  return tensors;
}

// Returns the config of a model of a few hundred numbers that uses every feature.
inline nlohmann::json TinyConfig() {
  return nlohmann::json::parse(R"({
    "model_type": "qwen3_vl", "tie_word_embeddings": true,
    "image_token_id": 5, "video_token_id": 6, "vision_start_token_id": 3, "vision_end_token_id": 4,
    "text_config": {"hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 2,
      "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "vocab_size": 9,
      "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "hidden_act": "silu",
      "attention_bias": false, "eos_token_id": 2,
      "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default",
                          "mrope_interleaved": true, "mrope_section": [2, 1, 1]}},
    "vision_config": {"depth": 2, "hidden_size": 8, "intermediate_size": 6, "num_heads": 2,
      "in_channels": 3, "patch_size": 2, "spatial_merge_size": 2, "temporal_patch_size": 2,
      "out_hidden_size": 4, "num_position_embeddings": 4, "deepstack_visual_indexes": [0],
      "hidden_act": "gelu_pytorch_tanh"}})");
}

// Changes `text` in one to four places: a byte, a digit, a cut, a repeat, a swap of two pieces.
inline std::string Mutated(std::string text, std::mt19937& random) {
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t change = 1 + below(4); change > 0 && !text.empty(); --change) {
    const size_t at = below(text.size());
    const size_t length = 1 + below(std::min<size_t>(text.size() - at, 24));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text[at] = static_cast<char>('0' + below(10));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 4:
        text.insert(at, length, "[{\"9,}]-"[below(8)]);
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

// Expects an error that mentions every word.
template <typename T>
void ExpectError(const Result<T>& result, ErrorCode code, const std::vector<std::string>& words) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(ErrorCodeName(result.error().code), ErrorCodeName(code)) << result.error().message;
  for (const std::string& word : words) {
    EXPECT_NE(result.error().message.find(word), std::string::npos)
        << "\"" << word << "\" is not in: " << result.error().message;
  }
}

}  // namespace ocelli::testing

#endif  // OCELLI_CHECKPOINT_TEST_FILES_H_
