#include "api/unsupported_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

// The value of a field, besides the empty ones, that asks for nothing.
enum class Neutral { kEmpty, kOne, kTrue };

struct Unsupported {
  std::string_view name;
  Neutral neutral = Neutral::kEmpty;
};

constexpr Unsupported kUnsupportedFields[] = {
    // OpenAI
    {"audio"},
    {"functions"},
    {"web_search_options"},
    {"echo"},
    {"suffix"},
    // vLLM
    {"guided_json"},
    {"guided_regex"},
    {"guided_choice"},
    {"guided_grammar"},
    {"structured_outputs"},
    {"structural_tag"},
    {"logit_processors"},
    {"logits_processors"},
    {"use_beam_search"},
    {"length_penalty", Neutral::kOne},
    {"prompt_logprobs"},
    {"min_tokens"},
    {"stop_token_ids"},
    {"bad_words"},
    {"allowed_token_ids"},
    {"include_stop_str_in_output"},
    {"skip_special_tokens", Neutral::kTrue},
    {"truncate_prompt_tokens"},
    {"chat_template"},
    {"documents"},
    {"mm_processor_kwargs"},
    {"media_io_kwargs"},
    {"thinking_token_budget"},
    // llama.cpp, SGLang and others
    {"grammar"},
    {"json_schema"},
    {"regex"},
    {"ebnf"},
    {"repeat_penalty", Neutral::kOne},
    {"typical_p", Neutral::kOne},
    {"top_a"},
    {"top_n_sigma"},
    {"tfs_z", Neutral::kOne},
    {"mirostat"},
    {"dry_multiplier"},
    {"xtc_probability"},
    {"dynatemp_range"},
    {"samplers"},
    {"lora"},
};

// Whether `value` asks for nothing.
bool IsNeutral(const Json& value, Neutral neutral) {
  if (value.is_boolean()) return value.get<bool>() == (neutral == Neutral::kTrue);
  if (value.is_number()) {
    const auto number = value.get<double>();
    return number == (neutral == Neutral::kOne ? 1.0 : 0.0);
  }
  return value.empty() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

Error NotSupported(std::string name) {
  return Error{ErrorCode::kUnsupported, fmt::format("{} is not supported here; leave it out", name),
               std::move(name)};
}

// Refuses modalities other than text.
Status RefuseModalities(const RequestFields& fields) {
  OCELLI_ASSIGN_OR_RETURN(const Json* modalities, fields.List("modalities", 8));
  if (modalities == nullptr) return {};
  const bool only_text =
      std::ranges::all_of(*modalities, [](const Json& item) { return item == "text"; });
  if (only_text) return {};
  return Error{ErrorCode::kUnsupported, "modalities must be [\"text\"]: answers are text only",
               "modalities"};
}

// Whether `key` is absent or one of the two choices that call no tool.
bool ChoosesNoTool(const RequestFields& fields, std::string_view key) {
  const Json* choice = fields.Find(key);
  return choice == nullptr || *choice == "none" || *choice == "auto";
}

}  // namespace

Status RefuseUnsupportedFields(const RequestFields& fields) {
  for (const Unsupported& field : kUnsupportedFields) {
    const Json* value = fields.Find(field.name);
    if (value != nullptr && !IsNeutral(*value, field.neutral)) {
      return NotSupported(fields.NameOf(field.name));
    }
  }
  return RefuseModalities(fields);
}

Status RefuseTools(const RequestFields& fields) {
  for (const std::string_view key : {"tool_choice", "function_call"}) {
    if (!ChoosesNoTool(fields, key)) return NotSupported(std::string(key));
  }
  const Json* tools = fields.Find("tools");
  if (tools == nullptr || tools->empty()) return {};
  const Json* choice = fields.Find("tool_choice");
  if (choice != nullptr && *choice == "none") return {};
  return Error{ErrorCode::kUnsupported,
               "tools are not supported here; leave them out or set tool_choice to \"none\"",
               "tools"};
}

Status RefuseFormat(const RequestFields& fields, std::string_view key) {
  OCELLI_ASSIGN_OR_RETURN(const Json* format, fields.Object(key));
  if (format == nullptr) return {};
  const RequestFields inner(*format, fields.NameOf(key) + ".");
  OCELLI_ASSIGN_OR_RETURN(const auto type, inner.String("type", 0, 64));
  if (type ? *type == "text" : format->empty()) return {};
  if (!type) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is missing; it must be \"text\"", inner.NameOf("type")),
                 fields.NameOf(key)};
  }
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("{} is {}; only text answers are supported", inner.NameOf("type"), Quoted(*type)),
      fields.NameOf(key)};
}

}  // namespace ocelli::api
