#include "picture/processor_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ocelli {
namespace {

constexpr int kMaxPatchSize = 256;
constexpr int kMaxMergeSize = 16;
// 800 MB of patches; published checkpoints use 2^24.
constexpr uint64_t kMaxPixels = uint64_t{1} << 26;

Error Impossible(std::string_view field, std::string_view value, std::string_view limit) {
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is {}, it must be {}", field, value, limit), std::string(field)};
}

Status CheckRange(std::string_view field, int value, int max) {
  if (value >= 1 && value <= max) return {};
  return Impossible(field, fmt::format("{}", value), fmt::format("between 1 and {}", max));
}

Status CheckNormalisation(const ProcessorOptions& processor) {
  if (!std::isfinite(processor.rescale_factor) || processor.rescale_factor <= 0) {
    return Impossible("rescale_factor", fmt::format("{}", processor.rescale_factor),
                      "a positive number");
  }
  for (size_t c = 0; c < 3; ++c) {
    if (!std::isfinite(processor.image_mean[c])) {
      return Impossible("image_mean", fmt::format("{}", processor.image_mean[c]), "a number");
    }
    if (!std::isfinite(processor.image_std[c]) || processor.image_std[c] <= 0) {
      return Impossible("image_std", fmt::format("{}", processor.image_std[c]),
                        "a positive number");
    }
  }
  return {};
}

}  // namespace

ProcessorOptions ProcessorOptionsOf(const PreprocessorConfig& config) {
  ProcessorOptions options;
  options.patch_size = static_cast<int>(config.patch_size);
  options.merge_size = static_cast<int>(config.merge_size);
  options.min_pixels = config.min_pixels;
  options.max_pixels = config.max_pixels;
  std::copy(config.image_mean.begin(), config.image_mean.end(), options.image_mean.begin());
  std::copy(config.image_std.begin(), config.image_std.end(), options.image_std.begin());
  return options;
}

Status CheckProcessorOptions(const ProcessorOptions& processor) {
  OCELLI_RETURN_IF_ERROR(CheckRange("patch_size", processor.patch_size, kMaxPatchSize));
  OCELLI_RETURN_IF_ERROR(CheckRange("merge_size", processor.merge_size, kMaxMergeSize));
  if (processor.min_pixels < 1) return Impossible("size.shortest_edge", "0", "at least 1");
  if (processor.max_pixels > kMaxPixels) {
    return Impossible("size.longest_edge", fmt::format("{}", processor.max_pixels),
                      fmt::format("at most {} pixels", kMaxPixels));
  }
  if (processor.min_pixels > processor.max_pixels) {
    return Impossible("size.shortest_edge", fmt::format("{}", processor.min_pixels),
                      fmt::format("at most size.longest_edge, which is {}", processor.max_pixels));
  }
  return CheckNormalisation(processor);
}

}  // namespace ocelli
