#ifndef OCELLI_CHECKPOINT_WEIGHT_FILES_H_
#define OCELLI_CHECKPOINT_WEIGHT_FILES_H_

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Which file of a directory holds each tensor, as model.safetensors.index.json says it.
using WeightMap = std::map<std::string, std::string>;  // published tensor name -> file name

// Parses the text of an index. `file` is named in messages. **Errors**: kCorruptData for text that
// is no index and for a shard that is not a plain file name ending in .safetensors (one with "/"
// would read outside the directory); kTooLarge for more than 1,000 shards.
Result<WeightMap> ParseWeightIndex(std::string_view json, std::string_view file);

// Returns the error for a directory without model.safetensors and without an index: it names the
// weights of another kind that are there.
Error NoWeights(const std::filesystem::path& directory);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_WEIGHT_FILES_H_
