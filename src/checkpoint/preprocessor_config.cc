#include "checkpoint/preprocessor_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/quoted.h"
#include "checkpoint/json_fields.h"

namespace ocelli {
namespace {

constexpr size_t kMaxConfigBytes = size_t{1} << 20;
constexpr size_t kMaxPixels = size_t{1} << 31;
constexpr size_t kBicubic = 3;  // PIL.Image.Resampling.BICUBIC
constexpr double kRescaleFactor = 1.0 / 255.0;

void CheckProcessorType(JsonFields& fields) {
  const std::string type = fields.String("image_processor_type");
  if (type.empty() || type.starts_with("Qwen2VLImageProcessor") ||
      type.starts_with("Qwen3VLImageProcessor")) {
    return;
  }
  fields.Fail(
      ErrorCode::kUnsupported, "image_processor_type",
      fmt::format("is {}; Ocelli prepares pictures as Qwen2VLImageProcessor does", Quoted(type)));
}

// Refuses a preparation with other steps than ours.
void CheckSteps(JsonFields& fields) {
  CheckProcessorType(fields);
  for (std::string_view key : {"do_resize", "do_rescale", "do_normalize", "do_convert_rgb"}) {
    fields.RequireBool(key, true);
  }
  fields.RequireBool("do_center_crop", false);
  if (fields.Size("resample", 0, 255, kBicubic) != kBicubic) {
    fields.Fail(ErrorCode::kUnsupported, "resample", "is not 3 (bicubic), the only filter we have");
  }
  const double factor = fields.Number("rescale_factor", 0, 1, kRescaleFactor);
  if (std::abs(factor - kRescaleFactor) > 1e-9) {
    fields.Fail(ErrorCode::kUnsupported, "rescale_factor", "is not 1/255, the only one we have");
  }
}

// min_pixels and max_pixels overrule size.shortest_edge and size.longest_edge, which are numbers of
// pixels too, whatever they are called.
void ReadPixelLimits(JsonFields& fields, PreprocessorConfig& config) {
  if (fields.Has("size")) {
    JsonFields size = fields.Object("size");
    config.min_pixels = size.Size("shortest_edge", 1, kMaxPixels, config.min_pixels);
    config.max_pixels = size.Size("longest_edge", 1, kMaxPixels, config.max_pixels);
  }
  config.min_pixels = fields.Size("min_pixels", 1, kMaxPixels, config.min_pixels);
  config.max_pixels = fields.Size("max_pixels", 1, kMaxPixels, config.max_pixels);
  fields.Require(config.min_pixels <= config.max_pixels, "min_pixels",
                 fmt::format("is {}, above max_pixels ({})", config.min_pixels, config.max_pixels));
  fields.Require(config.max_image_tokens() > 0, "max_pixels",
                 fmt::format("is {}, too few for one token of {} x {} pixels", config.max_pixels,
                             config.token_side_px(), config.token_side_px()));
}

std::array<float, 3> ToFloats(const std::vector<double>& numbers) {
  std::array<float, 3> floats{};
  std::transform(numbers.begin(), numbers.end(), floats.begin(),
                 [](double x) { return static_cast<float>(x); });
  return floats;
}

}  // namespace

Result<PreprocessorConfig> ParsePreprocessorConfig(std::string_view json, std::string_view file,
                                                   const PreprocessorConfig& defaults) {
  OCELLI_ASSIGN_OR_RETURN(const nlohmann::json object, ParseJsonObject(json, file));
  JsonFields fields(object, file);
  CheckSteps(fields);
  PreprocessorConfig config = defaults;
  config.patch_size = fields.Size("patch_size", 1, 64, config.patch_size);
  config.temporal_patch_size = fields.Size("temporal_patch_size", 1, 8, config.temporal_patch_size);
  config.merge_size = fields.Size("merge_size", 1, 8, config.merge_size);
  ReadPixelLimits(fields, config);
  config.image_mean = ToFloats(fields.ThreeNumbers("image_mean", 0, 1, 0.5));
  config.image_std = ToFloats(fields.ThreeNumbers("image_std", 1e-3, 1e3, 0.5));
  OCELLI_RETURN_IF_ERROR(fields.status());
  return config;
}

Result<PreprocessorConfig> ReadPreprocessorConfig(const std::filesystem::path& path,
                                                  const PreprocessorConfig& defaults) {
  const Result<std::string> json = ReadFile(path, kMaxConfigBytes);
  if (json.ok()) return ParsePreprocessorConfig(*json, path.string(), defaults);
  if (json.error().code == ErrorCode::kNotFound) return defaults;
  return json.error();
}

}  // namespace ocelli
