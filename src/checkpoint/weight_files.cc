#include "checkpoint/weight_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/quoted.h"
#include "checkpoint/json_fields.h"

namespace ocelli {
namespace {

constexpr size_t kMaxShards = 1000;
constexpr size_t kMaxFileNameBytes = 255;

bool IsPlainFileName(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return c > 0x20 && c < 0x7f && c != '/' && c != '\\' && c != ':';
  });
  return plain && name.size() <= kMaxFileNameBytes && name.ends_with(".safetensors") &&
         !name.starts_with('.');
}

Error Corrupt(std::string_view file, std::string_view what) {
  return Error{ErrorCode::kCorruptData, fmt::format("{}: {}", file, what), std::string(file)};
}

}  // namespace

Result<WeightMap> ParseWeightIndex(std::string_view json, std::string_view file) {
  OCELLI_ASSIGN_OR_RETURN(const nlohmann::json index, ParseJsonObject(json, file));
  const auto weight_map = index.find("weight_map");
  if (weight_map == index.end() || !weight_map->is_object() || weight_map->empty()) {
    return Corrupt(file, "it has no weight_map; download it again");
  }
  WeightMap map;
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : weight_map->items()) {
    if (!shard.is_string() || !IsPlainFileName(shard.get_ref<const std::string&>())) {
      return Corrupt(file, fmt::format("tensor {} is not in a plain .safetensors file of the same "
                                       "directory but in {}",
                                       Quoted(tensor),
                                       shard.is_string() ? Quoted(shard.get<std::string>())
                                                         : "something that is no text"));
    }
    shards.insert(shard.get<std::string>());
    map.emplace(tensor, shard.get<std::string>());
  }
  if (shards.size() > kMaxShards) {
    return Error{
        ErrorCode::kTooLarge,
        fmt::format("{}: it names {} shards, the limit is {}", file, shards.size(), kMaxShards),
        std::string(file)};
  }
  return map;
}

Error NoWeights(const std::filesystem::path& directory) {
  std::string others;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    const std::string extension = it->path().extension().string();
    if (extension == ".bin" || extension == ".pt" || extension == ".gguf" ||
        extension == ".safetensors") {
      others = fmt::format(" ({} is there, but not a file of that name)",
                           Quoted(it->path().filename().string()));
    }
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("{} has no weights: model.safetensors or model.safetensors.index.json "
                           "with its shards is needed{}",
                           directory.string(), others),
               directory.string()};
}

}  // namespace ocelli
