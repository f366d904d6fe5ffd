#include "api/sampling_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

Error Invalid(std::string message, std::string param) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), std::move(param)};
}

// Reads a number that SamplingParams::Validate bounds later; it is clamped only for the cast.
Status ReadFloat(const RequestFields& fields, std::string_view key, float& value) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  constexpr double kMost = std::numeric_limits<float>::max();
  OCELLI_ASSIGN_OR_RETURN(const auto number, fields.Number(key, -kAny, kAny));
  if (number) value = static_cast<float>(std::clamp(*number, -kMost, kMost));
  return {};
}

Status ReadBool(const RequestFields& fields, std::string_view key, bool& value) {
  OCELLI_ASSIGN_OR_RETURN(const auto asked, fields.Bool(key));
  value = asked.value_or(value);
  return {};
}

Status ReadCount(const RequestFields& fields, std::string_view key, int64_t low, size_t high,
                 size_t& value) {
  OCELLI_ASSIGN_OR_RETURN(const auto asked, fields.Integer(key, low, static_cast<int64_t>(high)));
  if (asked) value = static_cast<size_t>(*asked);
  return {};
}

Status ReadTopK(const RequestFields& fields, SamplingParams& params) {
  OCELLI_ASSIGN_OR_RETURN(const auto top_k, fields.Integer("top_k", -1, INT32_MAX));
  // -1 is how many servers say "all".
  if (top_k) params.top_k = static_cast<uint32_t>(std::max<int64_t>(*top_k, 0));
  return {};
}

Status ReadSeed(const RequestFields& fields, SamplingParams& params) {
  OCELLI_ASSIGN_OR_RETURN(const auto seed, fields.Integer("seed", INT64_MIN, INT64_MAX));
  if (!seed) return {};
  const Json& value = *fields.Find("seed");
  params.seed = value.is_number_unsigned() ? value.get<uint64_t>() : static_cast<uint64_t>(*seed);
  return {};
}

Status ReadStop(const RequestFields& fields, SamplingParams& params) {
  const Json* stop = fields.Find("stop");
  if (stop == nullptr) return {};
  params.stop.clear();
  if (stop->is_string()) {
    params.stop.push_back(stop->get<std::string>());
    return {};
  }
  if (!stop->is_array()) {
    return Invalid(fmt::format("stop is {}; it must be a string or a list of at most {} strings",
                               DescribeValue(*stop), kMaxStopStrings),
                   "stop");
  }
  OCELLI_ASSIGN_OR_RETURN(const Json* list, fields.List("stop", kMaxStopStrings));
  for (size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    if (!item.is_string()) {
      return Invalid(fmt::format("stop[{}] is {}; it must be a string", i, JsonTypeName(item)),
                     "stop");
    }
    params.stop.push_back(item.get<std::string>());
  }
  return {};
}

Result<TokenId> ParseTokenId(const std::string& text) {
  TokenId id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && end == text.data() + text.size() && id >= 0) return id;
  return Invalid(fmt::format("logit_bias has the key {}; keys must be token ids", Quoted(text)),
                 "logit_bias");
}

Status ReadLogitBias(const RequestFields& fields, SamplingParams& params) {
  OCELLI_ASSIGN_OR_RETURN(const Json* biases, fields.Object("logit_bias"));
  if (biases == nullptr) return {};
  params.logit_bias.clear();
  for (const auto& [key, value] : biases->items()) {
    OCELLI_ASSIGN_OR_RETURN(const TokenId id, ParseTokenId(key));
    if (!value.is_number()) {
      return Invalid(
          fmt::format("logit_bias of token {} is {}; it must be a number", id, JsonTypeName(value)),
          "logit_bias");
    }
    // Clamped for the cast; Validate says what the limits are.
    const double bias = std::clamp(value.get<double>(), -1000.0, 1000.0);
    params.logit_bias.emplace_back(id, static_cast<float>(bias));
  }
  return {};
}

Status ReadShape(const RequestFields& fields, SamplingParams& params) {
  OCELLI_RETURN_IF_ERROR(ReadFloat(fields, "temperature", params.temperature));
  OCELLI_RETURN_IF_ERROR(ReadFloat(fields, "top_p", params.top_p));
  OCELLI_RETURN_IF_ERROR(ReadTopK(fields, params));
  OCELLI_RETURN_IF_ERROR(ReadFloat(fields, "min_p", params.min_p));
  OCELLI_RETURN_IF_ERROR(ReadFloat(fields, "repetition_penalty", params.repetition_penalty));
  OCELLI_RETURN_IF_ERROR(ReadFloat(fields, "presence_penalty", params.presence_penalty));
  OCELLI_RETURN_IF_ERROR(ReadFloat(fields, "frequency_penalty", params.frequency_penalty));
  OCELLI_RETURN_IF_ERROR(ReadLogitBias(fields, params));
  return ReadSeed(fields, params);
}

// The first of the names that is set counts; a wrong value is an error under any of them.
Status ReadMaxTokens(const RequestFields& fields, const RequestDefaults& defaults,
                     SamplingParams& params) {
  std::optional<int64_t> chosen;
  for (const std::string_view key :
       {"max_completion_tokens", "max_tokens", "max_output_tokens", "max_new_tokens"}) {
    OCELLI_ASSIGN_OR_RETURN(const auto asked, fields.Integer(key, 1, INT64_MAX));
    if (!chosen) chosen = asked;
  }
  if (chosen) params.max_new_tokens = static_cast<size_t>(*chosen);
  params.max_new_tokens = std::min(params.max_new_tokens, defaults.max_context_tokens);
  return {};
}

}  // namespace

Result<SamplingParams> ReadSamplingFields(const RequestFields& fields,
                                          const RequestDefaults& defaults) {
  SamplingParams params = defaults.params;
  OCELLI_RETURN_IF_ERROR(ReadShape(fields, params));
  OCELLI_RETURN_IF_ERROR(ReadStop(fields, params));
  OCELLI_RETURN_IF_ERROR(ReadMaxTokens(fields, defaults, params));
  OCELLI_RETURN_IF_ERROR(ReadCount(fields, "n", 1, kMaxChoices, params.n));
  OCELLI_RETURN_IF_ERROR(ReadBool(fields, "ignore_eos", params.ignore_eos));
  OCELLI_RETURN_IF_ERROR(ReadBool(fields, "loop_guard", params.loop_guard));
  OCELLI_RETURN_IF_ERROR(ReadBool(fields, "logprobs", params.logprobs));
  OCELLI_RETURN_IF_ERROR(
      ReadCount(fields, "top_logprobs", 0, kMaxTopLogprobs, params.top_logprobs));
  OCELLI_RETURN_IF_ERROR(params.Validate(defaults.vocab_size));
  return params;
}

}  // namespace ocelli::api
