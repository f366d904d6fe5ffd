#ifndef OCELLI_CHECKPOINT_PREPROCESSOR_CONFIG_H_
#define OCELLI_CHECKPOINT_PREPROCESSOR_CONFIG_H_

#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// What pictures become before the vision encoder; the initial values are those of Qwen3-VL.
struct PreprocessorConfig {
  size_t min_pixels = 65'536;
  size_t max_pixels = 16'777'216;
  size_t patch_size = 16;  // pixels
  size_t temporal_patch_size = 2;
  size_t merge_size = 2;
  std::array<float, 3> image_mean{0.5f, 0.5f, 0.5f};
  std::array<float, 3> image_std{0.5f, 0.5f, 0.5f};

  // Returns the side of the square of pixels that becomes one token.
  size_t token_side_px() const { return patch_size * merge_size; }
  // Returns the fewest and the most tokens that one picture becomes.
  size_t min_image_tokens() const { return min_pixels / (token_side_px() * token_side_px()); }
  size_t max_image_tokens() const { return max_pixels / (token_side_px() * token_side_px()); }
};

// Reads the text of a preprocessor_config.json; `defaults` gives what it does not say. `file` is
// named in messages.
// **Errors**: kCorruptData for text that is not JSON; kUnsupported for steps that we do not do;
// kInvalidArgument for values out of range.
Result<PreprocessorConfig> ParsePreprocessorConfig(std::string_view json, std::string_view file,
                                                   const PreprocessorConfig& defaults);

// Reads and parses a preprocessor_config.json; an absent file gives `defaults`.
Result<PreprocessorConfig> ReadPreprocessorConfig(const std::filesystem::path& path,
                                                  const PreprocessorConfig& defaults);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_PREPROCESSOR_CONFIG_H_
