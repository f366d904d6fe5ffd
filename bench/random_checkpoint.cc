// Writes a published-style checkpoint of random weights in any size, for measurements that need a
// real file: ocelli_random_checkpoint CONFIG_FOLDER OUT_FOLDER. The other files of CONFIG_FOLDER
// (config.json, tokenizer.json, ...) are copied beside the weights.
#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/descriptor.h"
#include "base/disk.h"
#include "base/machine_limits.h"
#include "checkpoint/dummy_weights.h"
#include "checkpoint/expected_tensors.h"
#include "checkpoint/model_directory.h"
#include "parallel/thread_pool.h"

namespace ocelli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSeed = 1;
constexpr size_t kBytesPerWeight = 2;  // bfloat16

// Returns the length of the header and the header, which lists the tensors back to back.
std::string Header(const std::vector<TensorSpec>& tensors) {
  nlohmann::json header = {{"__metadata__", {{"format", "pt"}}}};
  size_t end = 0;
  for (const TensorSpec& tensor : tensors) {
    const size_t begin = end;
    end += tensor.NumElements() * kBytesPerWeight;
    header[tensor.name] = {
        {"dtype", "BF16"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + text;
}

Status WriteWeights(const ModelConfig& config, const fs::path& path) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.open()) return WriteError(path, "create");
  const std::vector<TensorSpec> tensors = ExpectedTensors(config);
  OCELLI_RETURN_IF_ERROR(WriteAll(file.get(), Header(tensors), path));
  ThreadPool pool(DetectThreadLimits().threads);
  DummyWeights weights(config, kSeed, pool);
  for (const TensorSpec& spec : tensors) {
    OCELLI_ASSIGN_OR_RETURN(const TensorView tensor, weights.Tensor(spec.name, spec.shape));
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.bytes.data()),
                                 tensor.bytes.size());
    OCELLI_RETURN_IF_ERROR(WriteAll(file.get(), bytes, path));
    weights.Release(tensor);
  }
  return {};
}

Status Run(const fs::path& from, const fs::path& to) {
  OCELLI_ASSIGN_OR_RETURN(const ModelDirectory directory, ModelDirectory::Open(from));
  OCELLI_RETURN_IF_ERROR(MakeDirectories(to));
  for (const fs::directory_entry& file : fs::directory_iterator(from)) {
    if (file.path().extension() != ".json" && file.path().extension() != ".jinja") continue;
    fs::copy_file(file.path(), to / file.path().filename(), fs::copy_options::overwrite_existing);
  }
  return WriteWeights(directory.config, to / "model.safetensors");
}

}  // namespace
}  // namespace ocelli

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: ocelli_random_checkpoint CONFIG_FOLDER OUT_FOLDER\n");
    return 2;
  }
  const ocelli::Status status = ocelli::Run(argv[1], argv[2]);
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}
