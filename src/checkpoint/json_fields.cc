#include "checkpoint/json_fields.h"

#include <fmt/format.h>

#include <span>

#include "base/json.h"
#include "base/quoted.h"
#include "checkpoint/foreign_file.h"

namespace ocelli {
namespace {

using nlohmann::json;

constexpr size_t kMaxTokenIds = 64;

Error NotJson(std::string_view text, std::string_view file, std::string_view detail) {
  const std::string foreign = RecogniseForeignFile(std::as_bytes(std::span(text)));
  return Error{ErrorCode::kCorruptData,
               foreign.empty() ? fmt::format("{} is not a JSON object ({})", file, detail)
                               : fmt::format("{} {}", file, foreign),
               std::string(file)};
}

// Returns a value as it would be written, short enough for a message.
std::string Shown(const json& value) {
  if (value.is_string()) return Quoted(value.get_ref<const std::string&>());
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return value.dump();
}

}  // namespace

Result<json> ParseJsonObject(std::string_view text, std::string_view file) {
  Result<json> value = ParseJson(text);
  if (!value.ok()) return NotJson(text, file, value.error().message);
  if (!value->is_object()) return NotJson(text, file, "it holds another kind of value");
  return value;
}

JsonFields::JsonFields(const json& object, std::string_view file)
    : object_(object), file_(file), error_(std::make_shared<std::optional<Error>>()) {}

JsonFields::JsonFields(const json& object, const JsonFields& parent, std::string_view key)
    : object_(object),
      file_(parent.file_),
      path_(fmt::format("{}{}.", parent.path_, key)),
      error_(parent.error_) {}

const json* JsonFields::Get(std::string_view key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::Fail(ErrorCode code, std::string_view key, std::string_view what) {
  if (error_->has_value()) return;
  *error_ = Error{code, fmt::format("{}: {}{} {}", file_, path_, key, what), file_};
}

void JsonFields::Require(bool condition, std::string_view key, std::string_view what) {
  if (!condition) Fail(ErrorCode::kInvalidArgument, key, what);
}

Status JsonFields::status() const {
  if (error_->has_value()) return **error_;
  return Status();
}

JsonFields JsonFields::Object(std::string_view key) {
  static const json kEmpty = json::object();
  const json* value = Get(key);
  if (value == nullptr) Fail(ErrorCode::kInvalidArgument, key, "is missing");
  if (value != nullptr && !value->is_object()) {
    Fail(ErrorCode::kInvalidArgument, key, fmt::format("is {}, not an object", Shown(*value)));
  }
  return JsonFields(value != nullptr && value->is_object() ? *value : kEmpty, *this, key);
}

std::optional<size_t> JsonFields::ToSize(const json& value, std::string_view key, size_t min,
                                         size_t max) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number >= min && number <= max) return static_cast<size_t>(number);
  }
  Fail(ErrorCode::kInvalidArgument, key,
       fmt::format("is {}; it must be a whole number from {} to {}", Shown(value), min, max));
  return std::nullopt;
}

std::optional<double> JsonFields::ToNumber(const json& value, std::string_view key, double min,
                                           double max) {
  if (value.is_number()) {
    const double number = value.get<double>();
    if (number >= min && number <= max) return number;
  }
  Fail(ErrorCode::kInvalidArgument, key,
       fmt::format("is {}; it must be a number from {} to {}", Shown(value), min, max));
  return std::nullopt;
}

size_t JsonFields::Size(std::string_view key, size_t min, size_t max,
                        std::optional<size_t> fallback) {
  if (const json* value = Get(key)) return ToSize(*value, key, min, max).value_or(min);
  if (!fallback) Fail(ErrorCode::kInvalidArgument, key, "is missing");
  return fallback.value_or(min);
}

double JsonFields::Number(std::string_view key, double min, double max,
                          std::optional<double> fallback) {
  if (const json* value = Get(key)) return ToNumber(*value, key, min, max).value_or(min);
  if (!fallback) Fail(ErrorCode::kInvalidArgument, key, "is missing");
  return fallback.value_or(min);
}

bool JsonFields::Bool(std::string_view key, bool fallback) {
  const json* value = Get(key);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  Fail(ErrorCode::kInvalidArgument, key, fmt::format("is {}, not true or false", Shown(*value)));
  return fallback;
}

std::string JsonFields::String(std::string_view key) {
  const json* value = Get(key);
  if (value == nullptr) return "";
  if (value->is_string()) return value->get<std::string>();
  Fail(ErrorCode::kInvalidArgument, key, fmt::format("is {}, not a text", Shown(*value)));
  return "";
}

std::vector<size_t> JsonFields::Sizes(std::string_view key, size_t max_count, size_t max,
                                      std::optional<std::vector<size_t>> fallback) {
  const json* value = Get(key);
  if (value == nullptr) {
    if (!fallback) Fail(ErrorCode::kInvalidArgument, key, "is missing");
    return fallback.value_or(std::vector<size_t>());
  }
  if (!value->is_array() || value->size() > max_count) {
    Fail(ErrorCode::kInvalidArgument, key,
         fmt::format("is {}; it must be a list of at most {} numbers", Shown(*value), max_count));
    return {};
  }
  std::vector<size_t> sizes;
  for (const json& element : *value) sizes.push_back(ToSize(element, key, 0, max).value_or(0));
  return sizes;
}

std::vector<double> JsonFields::ThreeNumbers(std::string_view key, double min, double max,
                                             double fallback) {
  const json* value = Get(key);
  std::vector<double> numbers(3, fallback);
  if (value == nullptr) return numbers;
  if (!value->is_array() || value->size() != numbers.size()) {
    Fail(ErrorCode::kInvalidArgument, key,
         fmt::format("is {}; it must be a list of three numbers", Shown(*value)));
    return numbers;
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = ToNumber((*value)[i], key, min, max).value_or(fallback);
  }
  return numbers;
}

std::vector<int32_t> JsonFields::TokenIds(std::string_view key, size_t limit) {
  const json* value = Get(key);
  if (value == nullptr) return {};
  std::vector<size_t> ids;
  if (value->is_array()) {
    ids = Sizes(key, kMaxTokenIds, limit - 1);
  } else if (const auto id = ToSize(*value, key, 0, limit - 1)) {
    ids.push_back(*id);
  }
  return std::vector<int32_t>(ids.begin(), ids.end());
}

void JsonFields::RequireBool(std::string_view key, bool only) {
  if (Bool(key, only) == only) return;
  Fail(ErrorCode::kUnsupported, key, fmt::format("is {}; only {} is supported", !only, only));
}

void JsonFields::RequireString(std::string_view key, std::string_view only) {
  if (!Has(key)) return;
  const std::string text = String(key);
  if (text == only) return;
  Fail(ErrorCode::kUnsupported, key,
       fmt::format("is {}; only {} is supported", Quoted(text), Quoted(only)));
}

}  // namespace ocelli
