#include "api/request_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/json.h"
#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

// Texts longer than this are named by their size, not repeated.
constexpr size_t kMaxRepeatedBytes = 40;

}  // namespace

std::string DescribeValue(const Json& value) {
  if (value.is_number() || value.is_boolean()) return value.dump();
  if (!value.is_string()) return std::string(JsonTypeName(value));
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > kMaxRepeatedBytes) return fmt::format("a string of {} bytes", text.size());
  return fmt::format("the string {}", Quoted(text));
}

std::optional<int64_t> WholeNumber(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return number <= INT64_MAX ? static_cast<int64_t>(number) : INT64_MAX;
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const auto number = value.get<double>();
  if (std::trunc(number) != number) return std::nullopt;
  if (std::abs(number) > 0x1p62) return number > 0 ? INT64_MAX : INT64_MIN;
  return static_cast<int64_t>(number);
}

Result<Json> ParseRequestBody(std::string_view body) {
  if (body.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the body is empty, it must be a JSON object", ""};
  }
  auto object = ParseOrderedJson(body);
  if (!object.ok()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the body is not valid JSON in UTF-8: {}", object.error().message),
                 ""};
  }
  if (!object->is_object()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the body is {}, it must be a JSON object", JsonTypeName(*object)),
                 ""};
  }
  return object;
}

Json TakeField(Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() ? Json() : std::exchange(*found, Json());
}

RequestFields::RequestFields(const Json& object, std::string prefix)
    : object_(object), prefix_(std::move(prefix)) {}

const Json* RequestFields::Find(std::string_view key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string RequestFields::NameOf(std::string_view key) const { return prefix_ + std::string(key); }

Error RequestFields::WrongValue(std::string_view key, std::string_view must_be) const {
  const std::string name = NameOf(key);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is {}; it must be {}", name, DescribeValue(*Find(key)), must_be),
               name};
}

Result<std::optional<bool>> RequestFields::Bool(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<bool>();
  if (!value->is_boolean()) return WrongValue(key, "true or false");
  return std::optional(value->get<bool>());
}

Result<std::optional<int64_t>> RequestFields::Integer(std::string_view key, int64_t low,
                                                      int64_t high) const {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<int64_t>();
  const std::optional<int64_t> number = WholeNumber(*value);
  if (number && *number >= low && *number <= high) return number;
  return WrongValue(key, high == INT64_MAX
                             ? fmt::format("a whole number of at least {}", low)
                             : fmt::format("a whole number from {} to {}", low, high));
}

Result<std::optional<double>> RequestFields::Number(std::string_view key, double low,
                                                    double high) const {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<double>();
  if (value->is_number()) {
    const auto number = value->get<double>();
    if (number >= low && number <= high) return std::optional(number);
  }
  return WrongValue(
      key, std::isinf(high) ? "a number" : fmt::format("a number from {} to {}", low, high));
}

Result<std::optional<std::string>> RequestFields::String(std::string_view key, size_t low_bytes,
                                                         size_t high_bytes) const {
  const Json* value = Find(key);
  if (value == nullptr) return std::optional<std::string>();
  if (value->is_string()) {
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() >= low_bytes && text.size() <= high_bytes) return std::optional(text);
  }
  return WrongValue(key, high_bytes == SIZE_MAX
                             ? "a string"
                             : fmt::format("a string of {} to {} bytes", low_bytes, high_bytes));
}

Result<const Json*> RequestFields::List(std::string_view key, size_t max_items) const {
  const Json* value = Find(key);
  if (value == nullptr) return value;
  if (!value->is_array()) return WrongValue(key, "a list");
  if (value->size() <= max_items) return value;
  const std::string name = NameOf(key);
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("{} has {} items; at most {} are allowed", name, value->size(), max_items), name};
}

Result<const Json*> RequestFields::Object(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr || value->is_object()) return value;
  return WrongValue(key, "an object");
}

}  // namespace ocelli::api
