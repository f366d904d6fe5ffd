#include "checkpoint/generation_config.h"

#include <limits>

#include "base/file.h"
#include "checkpoint/json_fields.h"

namespace ocelli {
namespace {

constexpr size_t kMaxConfigBytes = size_t{1} << 20;
constexpr size_t kMaxTokenId = std::numeric_limits<int32_t>::max();

}  // namespace

Result<GenerationConfig> ParseGenerationConfig(std::string_view json, std::string_view file) {
  OCELLI_ASSIGN_OR_RETURN(const nlohmann::json object, ParseJsonObject(json, file));
  JsonFields fields(object, file);
  GenerationConfig config;
  config.do_sample = fields.Bool("do_sample", config.do_sample);
  config.temperature = fields.Number("temperature", 0, 100, config.temperature);
  config.top_k = fields.Size("top_k", 0, kMaxTokenId, config.top_k);
  config.top_p = fields.Number("top_p", 0, 1, config.top_p);
  config.repetition_penalty =
      fields.Number("repetition_penalty", 0.01, 100, config.repetition_penalty);
  config.presence_penalty = fields.Number("presence_penalty", -100, 100, config.presence_penalty);
  config.eos_token_ids = fields.TokenIds("eos_token_id", kMaxTokenId);
  OCELLI_RETURN_IF_ERROR(fields.status());
  return config;
}

Result<GenerationConfig> ReadGenerationConfig(const std::filesystem::path& path) {
  const Result<std::string> json = ReadFile(path, kMaxConfigBytes);
  if (json.ok()) return ParseGenerationConfig(*json, path.string());
  if (json.error().code == ErrorCode::kNotFound) return GenerationConfig();
  return json.error();
}

}  // namespace ocelli
