#include "checkpoint/model_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace ocelli {
namespace {

Status CheckDirectory(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Status();
  if (!std::filesystem::exists(path, ignored)) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no directory {}", path.string()),
                 path.string()};
  }
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{} is a file; give the directory that holds config.json", path.string()),
      path.string()};
}

Status CheckSame(const std::filesystem::path& path, std::string_view name, size_t processor,
                 std::string_view model_name, size_t model) {
  if (processor == model) return Status();
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{}: {} is {} in preprocessor_config.json, but vision_config.{} is {} in "
                  "config.json; the files are of different models",
                  path.string(), name, processor, model_name, model),
      path.string()};
}

PreprocessorConfig DefaultsFor(const VisionConfig& vision) {
  PreprocessorConfig config;
  config.patch_size = vision.patch_size;
  config.temporal_patch_size = vision.temporal_patch_size;
  config.merge_size = vision.spatial_merge_size;
  return config;
}

Status CheckPreprocessor(const ModelDirectory& directory) {
  const PreprocessorConfig& ours = directory.preprocessor_config;
  const VisionConfig& vision = directory.config.vision_config;
  OCELLI_RETURN_IF_ERROR(
      CheckSame(directory.path, "patch_size", ours.patch_size, "patch_size", vision.patch_size));
  OCELLI_RETURN_IF_ERROR(CheckSame(directory.path, "temporal_patch_size", ours.temporal_patch_size,
                                   "temporal_patch_size", vision.temporal_patch_size));
  return CheckSame(directory.path, "merge_size", ours.merge_size, "spatial_merge_size",
                   vision.spatial_merge_size);
}

Status CheckEos(const ModelDirectory& directory) {
  const auto& ids = directory.generation_config.eos_token_ids;
  const size_t vocab_size = directory.config.text_config.vocab_size;
  const auto outside = std::find_if(
      ids.begin(), ids.end(), [&](int32_t id) { return static_cast<size_t>(id) >= vocab_size; });
  if (outside == ids.end()) return Status();
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: eos_token_id {} in generation_config.json is not below vocab_size "
                           "({}) in config.json; the files are of different models",
                           directory.path.string(), *outside, vocab_size),
               directory.path.string()};
}

}  // namespace

Result<ModelDirectory> ModelDirectory::Open(const std::filesystem::path& path) {
  OCELLI_RETURN_IF_ERROR(CheckDirectory(path));
  ModelDirectory directory;
  directory.path = path;
  directory.tokenizer_path = path / "tokenizer.json";
  OCELLI_ASSIGN_OR_RETURN(directory.config, ReadModelConfig(path / "config.json"));
  OCELLI_ASSIGN_OR_RETURN(directory.generation_config,
                          ReadGenerationConfig(path / "generation_config.json"));
  OCELLI_ASSIGN_OR_RETURN(directory.preprocessor_config,
                          ReadPreprocessorConfig(path / "preprocessor_config.json",
                                                 DefaultsFor(directory.config.vision_config)));
  directory.chat_template = ReadChatTemplate(path);
  OCELLI_RETURN_IF_ERROR(CheckPreprocessor(directory));
  OCELLI_RETURN_IF_ERROR(CheckEos(directory));
  if (directory.generation_config.eos_token_ids.empty()) {
    directory.generation_config.eos_token_ids = directory.config.eos_token_ids;
  }
  return directory;
}

}  // namespace ocelli
