#ifndef OCELLI_HUB_FAKE_MODEL_H_
#define OCELLI_HUB_FAKE_MODEL_H_

#include <map>
#include <random>
#include <string>

#include "checkpoint/test_files.h"

// Test code only.
namespace ocelli::testing {

// Returns bytes that no two places share.
inline std::string RandomBytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(random() & 0xff);
  return bytes;
}

// Returns the files of a whole, tiny model as a hub has them: what Ocelli reads, weights of about
// `filler_bytes`, and some files that it has no use for.
inline std::map<std::string, std::string> FakeModelFiles(size_t filler_bytes, unsigned seed = 1) {
  const std::string config = TinyConfig().dump();
  std::vector<TestTensor> tensors = TensorsOf(*ParseModelConfig(config, "config.json"));
  const size_t numbers = filler_bytes / 2;
  tensors.push_back({"extra.filler", "BF16", {numbers}, RandomBytes(numbers * 2, seed)});
  return {{"config.json", config},
          {"generation_config.json", R"({"eos_token_id": 2})"},
          {"preprocessor_config.json", R"({"patch_size": 2, "merge_size": 2})"},
          {"tokenizer.json", "{}"},
          {"chat_template.json", "{}"},
          {"model.safetensors", Safetensors(tensors)},
          {"pytorch_model.bin", RandomBytes(5000, seed)},
          {"README.md", "A model."},
          {"onnx/model.onnx", RandomBytes(3000, seed)}};
}

// Returns the same with the weights in two shards and their index.
inline std::map<std::string, std::string> FakeShardedModelFiles(size_t filler_bytes) {
  std::map<std::string, std::string> files = FakeModelFiles(0);
  std::vector<TestTensor> tensors =
      TensorsOf(*ParseModelConfig(files.at("config.json"), "config.json"));
  tensors.push_back(
      {"extra.filler", "BF16", {filler_bytes / 2}, RandomBytes(filler_bytes / 2 * 2, 3)});
  const auto middle = tensors.begin() + std::ssize(tensors) / 2;
  const std::vector<TestTensor> shards[] = {{tensors.begin(), middle}, {middle, tensors.end()}};
  nlohmann::json weight_map;
  for (int i = 0; i < 2; ++i) {
    const std::string name = "model-0000" + std::to_string(i + 1) + "-of-00002.safetensors";
    for (const TestTensor& tensor : shards[i]) weight_map[tensor.name] = name;
    files[name] = Safetensors(shards[i]);
  }
  files.erase("model.safetensors");
  files["model.safetensors.index.json"] = nlohmann::json{{"weight_map", weight_map}}.dump();
  return files;
}

}  // namespace ocelli::testing

#endif  // OCELLI_HUB_FAKE_MODEL_H_
