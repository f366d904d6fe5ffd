#include "checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/machine_limits.h"
#include "base/quoted.h"
#include "base/rounding.h"
#include "checkpoint/expected_tensors.h"
#include "checkpoint/weight_files.h"

namespace ocelli {
namespace {

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
constexpr std::string_view kFp8Name = "F8_E4M3";
constexpr std::string_view kScaleSuffix = "_scale_inv";
constexpr size_t kMaxIndexBytes = size_t{16} << 20;

bool Exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Status CheckShardsExist(const std::filesystem::path& directory,
                        const std::set<std::string>& shards) {
  std::vector<std::string> missing;
  for (const std::string& shard : shards) {
    if (!Exists(directory / shard)) missing.push_back(shard);
  }
  if (missing.empty()) return Status();
  return Error{
      ErrorCode::kNotFound,
      fmt::format("{}: {} of the {} files that {} names are missing, the first is {}; "
                  "download them again",
                  directory.string(), missing.size(), shards.size(), kIndexFile, missing.front()),
      directory.string()};
}

std::string MissingTensorHint(std::string_view name) {
  return name == "lm_head.weight" ? " (or tie_word_embeddings should be true in config.json)" : "";
}

bool Contains(std::span<const std::byte> outer, std::span<const std::byte> inner) {
  const std::less_equal<const std::byte*> not_after;  // also between unrelated arrays
  return not_after(outer.data(), inner.data()) &&
         not_after(inner.data() + inner.size(), outer.data() + outer.size());
}

}  // namespace

Result<Checkpoint> Checkpoint::Open(const std::filesystem::path& directory) {
  Checkpoint checkpoint;
  OCELLI_ASSIGN_OR_RETURN(checkpoint.directory_, ModelDirectory::Open(directory));
  if (Exists(directory / kSingleFile)) {
    OCELLI_RETURN_IF_ERROR(checkpoint.OpenSingleFile(directory / kSingleFile));
  } else if (Exists(directory / kIndexFile)) {
    OCELLI_RETURN_IF_ERROR(checkpoint.OpenShards(directory / kIndexFile));
  } else {
    return NoWeights(directory);
  }
  return checkpoint;
}

Status Checkpoint::OpenSingleFile(const std::filesystem::path& path) {
  OCELLI_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::Open(path));
  files_.push_back(std::move(file));
  for (const SafetensorsEntry& entry : files_.front().entries()) {
    OCELLI_RETURN_IF_ERROR(AddTensor(0, entry));
  }
  return Status();
}

Status Checkpoint::OpenShards(const std::filesystem::path& index_path) {
  OCELLI_ASSIGN_OR_RETURN(const std::string json, ReadFile(index_path, kMaxIndexBytes));
  OCELLI_ASSIGN_OR_RETURN(const WeightMap map, ParseWeightIndex(json, index_path.string()));
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : map) shards.insert(shard);
  OCELLI_RETURN_IF_ERROR(CheckShardsExist(directory_.path, shards));
  std::map<std::string, size_t> file_of;
  for (const std::string& shard : shards) {
    OCELLI_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::Open(directory_.path / shard));
    file_of.emplace(shard, files_.size());
    files_.push_back(std::move(file));
  }
  for (const auto& [tensor, shard] : map) {
    const size_t file = file_of.at(shard);
    const SafetensorsEntry* entry = files_[file].Find(tensor);
    if (entry == nullptr) {
      return Error{ErrorCode::kCorruptData,
                   fmt::format("{}: tensor {} should be in {}, which does not have it; the files "
                               "are of different downloads",
                               index_path.string(), Quoted(tensor), shard),
                   index_path.string()};
    }
    OCELLI_RETURN_IF_ERROR(AddTensor(file, *entry));
  }
  return Status();
}

Status Checkpoint::AddTensor(size_t file, const SafetensorsEntry& entry) {
  const Location location{file, &entry, nullptr, 0};
  const auto [existing, added] = tensors_.emplace(CanonicalTensorName(entry.name), location);
  if (added) return Status();
  const std::string path = files_[file].path().string();
  return Error{ErrorCode::kCorruptData,
               fmt::format("{}: tensors {} and {} are the same part of the model", path,
                           Quoted(existing->second.entry->name), Quoted(entry.name)),
               path};
}

Status Checkpoint::CheckComplete() const {
  const std::vector<TensorSpec> expected = ExpectedTensors(config());
  for (const TensorSpec& spec : expected) {
    OCELLI_RETURN_IF_ERROR(Locate(spec.name, spec.shape));
  }
  return Status();
}

// The scales of a float8 matrix belong to the model as the matrix does.
size_t Checkpoint::NumExtraTensors() const {
  size_t total = 0;
  for (const SafetensorsFile& file : files_) total += file.entries().size();
  const std::vector<TensorSpec> expected = ExpectedTensors(config());
  for (const TensorSpec& spec : expected) {
    const Result<Location> location = Locate(spec.name, spec.shape);
    if (!location.ok()) continue;
    total -= location->scales == nullptr ? 1 : 2;
  }
  return total;
}

Result<Checkpoint::Location> Checkpoint::Locate(std::string_view name,
                                                std::span<const size_t> shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}: the weights lack tensor {}, which the model of config.json needs; "
                    "the download is incomplete or config.json is another model's{}",
                    directory_.path.string(), name, MissingTensorHint(name)),
        directory_.path.string()};
  }
  const Location location = found->second;
  const SafetensorsEntry& entry = *location.entry;
  const std::string path = files_[location.file].path().string();
  if (!std::equal(entry.shape.begin(), entry.shape.end(), shape.begin(), shape.end())) {
    return Error{
        ErrorCode::kCorruptData,
        fmt::format("{}: tensor {} has shape [{}], but the model of config.json needs "
                    "[{}]; config.json is another model's",
                    path, Quoted(entry.name), fmt::join(entry.shape, ", "), fmt::join(shape, ", ")),
        path};
  }
  if (entry.dtype.has_value()) return location;
  if (config().fp8 && entry.dtype_name == kFp8Name && entry.shape.size() == 2) {
    return LocateFp8(name, location);
  }
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("{}: tensor {} is stored as {}; Ocelli reads BF16, F16, F32 and matrices "
                  "of block-scaled {}: use the checkpoint that is not quantised",
                  path, Quoted(entry.name), entry.dtype_name, kFp8Name),
      path};
}

// Finds the scales of a float8 matrix.
Result<Checkpoint::Location> Checkpoint::LocateFp8(std::string_view name,
                                                   const Location& weight) const {
  Location location = weight;
  const std::string path = files_[weight.file].path().string();
  const auto found = tensors_.find(fmt::format("{}{}", name, kScaleSuffix));
  if (found == tensors_.end()) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}: tensor {} is stored as {} and its {}{} is missing; the download is "
                    "incomplete",
                    path, Quoted(weight.entry->name), kFp8Name, name, kScaleSuffix),
        path};
  }
  location.scales = found->second.entry;
  location.scales_file = found->second.file;
  const Fp8Blocks blocks = *config().fp8;
  const std::vector<size_t> shape = {DivideUp(weight.entry->shape[0], blocks.rows),
                                     DivideUp(weight.entry->shape[1], blocks.cols)};
  if (location.scales->shape == shape && location.scales->dtype.has_value()) return location;
  return Error{
      ErrorCode::kCorruptData,
      fmt::format("{}: tensor {} is {} [{}], but blocks of {} x {} need [{}] of BF16, F16 or "
                  "F32",
                  path, Quoted(location.scales->name), location.scales->dtype_name,
                  fmt::join(location.scales->shape, ", "), blocks.rows, blocks.cols,
                  fmt::join(shape, ", ")),
      path};
}

Result<TensorView> Checkpoint::Dequantized(const Location& location) {
  const SafetensorsEntry& entry = *location.entry;
  const SafetensorsFile& file = files_[location.file];
  const size_t numbers = entry.shape[0] * entry.shape[1];
  if (numbers > DetectMemoryLimits().UsableBytes() / sizeof(float)) {
    return Error{ErrorCode::kResourceExhausted,
                 fmt::format("{}: tensor {} takes {} bytes as float32, more than can be had",
                             file.path().string(), Quoted(entry.name), numbers * sizeof(float)),
                 "memory"};
  }
  AlignedBuffer& buffer = dequantized_.emplace_back(numbers * sizeof(float));
  const TensorView scales{*location.scales->dtype, location.scales->shape,
                          files_[location.scales_file].Bytes(*location.scales)};
  DequantizeFp8(file.Bytes(entry), entry.shape[0], entry.shape[1], scales, *config().fp8,
                {reinterpret_cast<float*>(buffer.data()), numbers});
  file.Release(file.Bytes(entry));
  return TensorView{DType::kFloat32, entry.shape, {buffer.data(), numbers * sizeof(float)}};
}

Result<TensorView> Checkpoint::Tensor(std::string_view name, std::span<const size_t> shape) {
  OCELLI_ASSIGN_OR_RETURN(const Location location, Locate(name, shape));
  if (location.scales != nullptr) return Dequantized(location);
  const SafetensorsEntry& entry = *location.entry;
  return TensorView{*entry.dtype, entry.shape, files_[location.file].Bytes(entry)};
}

void Checkpoint::Release(const TensorView& tensor) {
  std::erase_if(dequantized_,
                [&](const AlignedBuffer& buffer) { return buffer.data() == tensor.bytes.data(); });
  for (const SafetensorsFile& file : files_) {
    if (Contains(file.bytes(), tensor.bytes)) file.Release(tensor.bytes);
  }
}

}  // namespace ocelli
