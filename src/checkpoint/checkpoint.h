#ifndef OCELLI_CHECKPOINT_CHECKPOINT_H_
#define OCELLI_CHECKPOINT_CHECKPOINT_H_

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/error.h"
#include "checkpoint/model_directory.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/weight_source.h"

namespace ocelli {

// A published checkpoint: a ModelDirectory and its weights, model.safetensors or the shards that
// model.safetensors.index.json names. Nothing is read but headers until Tensor() is called.
class Checkpoint : public WeightSource {
 public:
  // Opens every file of `directory`. **Errors**: as ModelDirectory::Open and SafetensorsFile::Open;
  // kNotFound for missing weights or a missing shard; kCorruptData for an index that lies.
  static Result<Checkpoint> Open(const std::filesystem::path& directory);

  // Verifies that every tensor that the model needs is there with its shape and a number format
  // that we compute with, so that a bad checkpoint fails before any weight is read. **Errors**: as
  // Tensor.
  Status CheckComplete() const;

  const ModelDirectory& directory() const { return directory_; }
  const ModelConfig& config() const override { return directory_.config; }
  const GenerationConfig& generation_config() const { return directory_.generation_config; }
  const PreprocessorConfig& preprocessor_config() const { return directory_.preprocessor_config; }
  const std::filesystem::path& tokenizer_path() const { return directory_.tokenizer_path; }
  const std::vector<SafetensorsFile>& files() const { return files_; }

  // Where a tensor is.
  struct Location {
    size_t file = 0;  // index in files()
    const SafetensorsEntry* entry = nullptr;
    // Of a float8 matrix, the scales of its blocks; else null.
    const SafetensorsEntry* scales = nullptr;
    size_t scales_file = 0;
  };
  // Returns the checked place of a tensor. **Errors**: as Tensor. **Threads**: any.
  Result<Location> Locate(std::string_view name, std::span<const size_t> shape) const;

  // Returns how many tensors of the files are no part of the model.
  size_t NumExtraTensors() const;

  // A float8 matrix comes as float32: see DequantizeFp8 for how exact that is.
  Result<TensorView> Tensor(std::string_view name, std::span<const size_t> shape) override;
  void Release(const TensorView& tensor) override;

 private:
  Checkpoint() = default;
  Status OpenSingleFile(const std::filesystem::path& path);
  Status OpenShards(const std::filesystem::path& index_path);
  Status AddTensor(size_t file, const SafetensorsEntry& entry);
  Result<Location> LocateFp8(std::string_view name, const Location& weight) const;
  Result<TensorView> Dequantized(const Location& location);

  ModelDirectory directory_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, Location, std::less<>> tensors_;  // by canonical name
  std::vector<AlignedBuffer> dequantized_;                // that have not been released
};

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_CHECKPOINT_H_
