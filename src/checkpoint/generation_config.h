#ifndef OCELLI_CHECKPOINT_GENERATION_CONFIG_H_
#define OCELLI_CHECKPOINT_GENERATION_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli {

// How the model's makers sample from it; the initial values are those of transformers.
struct GenerationConfig {
  bool do_sample = false;  // false: greedy, and temperature, top_k, top_p are not used
  double temperature = 1.0;
  size_t top_k = 50;  // 0: no limit
  double top_p = 1.0;
  double repetition_penalty = 1.0;
  double presence_penalty = 0.0;
  std::vector<int32_t> eos_token_ids;  // empty: the file does not say
};

// Reads the text of a generation_config.json. `file` is named in messages.
// **Errors**: kCorruptData for text that is not JSON; kInvalidArgument for values out of range.
Result<GenerationConfig> ParseGenerationConfig(std::string_view json, std::string_view file);

// Reads and parses a generation_config.json; an absent file gives the initial values.
Result<GenerationConfig> ReadGenerationConfig(const std::filesystem::path& path);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_GENERATION_CONFIG_H_
