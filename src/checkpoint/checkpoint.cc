#include "checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/quoted.h"
#include "checkpoint/expected_tensors.h"
#include "checkpoint/weight_files.h"

namespace ocelli {
namespace {

constexpr std::string_view kSingleFile = "model.safetensors";
constexpr std::string_view kIndexFile = "model.safetensors.index.json";
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
  const Location location{file, &entry};
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

size_t Checkpoint::NumExtraTensors() const {
  size_t total = 0;
  for (const SafetensorsFile& file : files_) total += file.entries().size();
  const std::vector<TensorSpec> expected = ExpectedTensors(config());
  const auto present = std::count_if(expected.begin(), expected.end(), [&](const auto& spec) {
    return tensors_.contains(spec.name);
  });
  return total - static_cast<size_t>(present);
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
  if (!entry.dtype.has_value()) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("{}: tensor {} is stored as {}; Ocelli reads BF16, F16 and F32: use the "
                    "checkpoint that is not quantised",
                    path, Quoted(entry.name), entry.dtype_name),
        path};
  }
  return location;
}

Result<TensorView> Checkpoint::Tensor(std::string_view name, std::span<const size_t> shape) {
  OCELLI_ASSIGN_OR_RETURN(const Location location, Locate(name, shape));
  const SafetensorsEntry& entry = *location.entry;
  return TensorView{*entry.dtype, entry.shape, files_[location.file].Bytes(entry)};
}

void Checkpoint::Release(const TensorView& tensor) {
  for (const SafetensorsFile& file : files_) {
    if (Contains(file.bytes(), tensor.bytes)) file.Release(tensor.bytes);
  }
}

}  // namespace ocelli
