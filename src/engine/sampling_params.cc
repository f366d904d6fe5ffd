#include "engine/sampling_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/utf8.h"

namespace ocelli {
namespace {

Error Invalid(std::string_view field, std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::string(field)};
}

// The comparison is written so that NaN fails it.
Status CheckRange(std::string_view field, float value, float low, float high) {
  if (value >= low && value <= high) return {};
  return Invalid(field, fmt::format("{} is {}; it must be from {} to {}", field, value, low, high));
}

Status CheckCount(std::string_view field, size_t value, size_t low, size_t high) {
  if (value >= low && value <= high) return {};
  return Invalid(field, fmt::format("{} is {}; it must be from {} to {}", field, value, low, high));
}

Status CheckPositive(std::string_view field, float value, float high) {
  if (value > 0.0f && value <= high) return {};
  return Invalid(field,
                 fmt::format("{} is {}; it must be above 0 and at most {}", field, value, high));
}

Status CheckStop(const std::vector<std::string>& stop) {
  if (stop.size() > kMaxStopStrings) {
    return Invalid("stop", fmt::format("stop has {} strings; at most {} are allowed", stop.size(),
                                       kMaxStopStrings));
  }
  for (size_t i = 0; i < stop.size(); ++i) {
    if (stop[i].empty() || stop[i].size() > kMaxStopStringBytes) {
      return Invalid("stop", fmt::format("stop[{}] has {} bytes; it must have 1 to {}", i,
                                         stop[i].size(), kMaxStopStringBytes));
    }
    if (!IsValidUtf8(stop[i])) {
      return Invalid("stop", fmt::format("stop[{}] is not UTF-8 text", i));
    }
  }
  return {};
}

Status CheckLogitBias(const std::vector<std::pair<TokenId, float>>& logit_bias, size_t vocab_size) {
  if (logit_bias.size() > kMaxLogitBiases) {
    return Invalid("logit_bias", fmt::format("logit_bias has {} entries; at most {} are allowed",
                                             logit_bias.size(), kMaxLogitBiases));
  }
  for (const auto& [id, bias] : logit_bias) {
    if (id < 0 || static_cast<size_t>(id) >= vocab_size) {
      return Invalid("logit_bias", fmt::format("logit_bias names token {}; ids go from 0 to {}", id,
                                               vocab_size - 1));
    }
    if (!(bias >= -100.0f && bias <= 100.0f)) {
      return Invalid("logit_bias", fmt::format("logit_bias of token {} is {}; it must be from -100 "
                                               "to 100",
                                               id, bias));
    }
  }
  return {};
}

}  // namespace

Status SamplingParams::Validate(size_t vocab_size) const {
  OCELLI_RETURN_IF_ERROR(CheckRange("temperature", temperature, 0.0f, 2.0f));
  OCELLI_RETURN_IF_ERROR(CheckPositive("top_p", top_p, 1.0f));
  OCELLI_RETURN_IF_ERROR(CheckRange("min_p", min_p, 0.0f, 1.0f));
  OCELLI_RETURN_IF_ERROR(CheckRange("repetition_penalty", repetition_penalty, 0.01f, 10.0f));
  OCELLI_RETURN_IF_ERROR(CheckRange("presence_penalty", presence_penalty, -2.0f, 2.0f));
  OCELLI_RETURN_IF_ERROR(CheckRange("frequency_penalty", frequency_penalty, -2.0f, 2.0f));
  OCELLI_RETURN_IF_ERROR(CheckLogitBias(logit_bias, vocab_size));
  OCELLI_RETURN_IF_ERROR(CheckStop(stop));
  OCELLI_RETURN_IF_ERROR(CheckCount("top_logprobs", top_logprobs, 0, kMaxTopLogprobs));
  if (top_logprobs > 0 && !logprobs) {
    return Invalid("top_logprobs", "top_logprobs needs logprobs to be true");
  }
  OCELLI_RETURN_IF_ERROR(CheckCount("n", n, 1, kMaxChoices));
  if (max_new_tokens == 0) {
    return Invalid("max_new_tokens", "max_new_tokens is 0; it must be at least 1");
  }
  return {};
}

SamplingParams DefaultSamplingParams(const GenerationConfig& config) {
  SamplingParams params;
  params.repetition_penalty = static_cast<float>(config.repetition_penalty);
  params.presence_penalty = static_cast<float>(config.presence_penalty);
  if (!config.do_sample) return params;
  params.temperature = static_cast<float>(config.temperature);
  params.top_k = static_cast<uint32_t>(std::min<size_t>(config.top_k, UINT32_MAX));
  params.top_p = static_cast<float>(config.top_p);
  return params;
}

}  // namespace ocelli
