#ifndef OCELLI_API_REQUEST_FIELDS_H_
#define OCELLI_API_REQUEST_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli::api {

// Parses the body of a request: one JSON object of at most 64 levels, 100,000 values and 2,048 keys
// an object, in valid UTF-8 (a byte-order mark is skipped). Its keys keep their order.
// **Errors**: kInvalidArgument naming the byte; nothing of the body is repeated.
Result<nlohmann::ordered_json> ParseRequestBody(std::string_view body);

// Moves the value of `key` out of `object`, in which it is null from then on: what is large is not
// copied. Null where there is none.
nlohmann::ordered_json TakeField(nlohmann::ordered_json& object, std::string_view key);

// Returns what `value` is, for messages: its type, and the value itself where it is short.
std::string DescribeValue(const nlohmann::ordered_json& value);

// Returns the whole number that `value` is, the nearest that fits when it is too large: 5 and 5.0
// are whole, 5.5 and "5" are not.
std::optional<int64_t> WholeNumber(const nlohmann::ordered_json& value);

// Reads the typed fields of one JSON object. Null is the same as absent. Each error is
// kInvalidArgument with the field as `param` and names the field, what it is and what it must be;
// at most a few characters of a value are repeated.
class RequestFields {
 public:
  // `object` must outlive this. `prefix` stands before each field's name: "stream_options.".
  // An `object` that is no JSON object has no fields.
  explicit RequestFields(const nlohmann::ordered_json& object, std::string prefix = "");

  Result<std::optional<bool>> Bool(std::string_view key) const;
  // A whole number from `low` to `high`; 5.0 is one, "5" is not. What is too large for an int64_t
  // counts as its limit.
  Result<std::optional<int64_t>> Integer(std::string_view key, int64_t low, int64_t high) const;
  // A number from `low` to `high`, which may be infinite.
  Result<std::optional<double>> Number(std::string_view key, double low, double high) const;
  // A string of `low_bytes` to `high_bytes` bytes; 0 to SIZE_MAX: any.
  Result<std::optional<std::string>> String(std::string_view key, size_t low_bytes,
                                            size_t high_bytes) const;
  // A list of at most `max_items`, or null when it is absent.
  Result<const nlohmann::ordered_json*> List(std::string_view key, size_t max_items) const;
  // An object, or null when it is absent.
  Result<const nlohmann::ordered_json*> Object(std::string_view key) const;

  // The value of `key` whatever its type, or null when it is absent or null.
  const nlohmann::ordered_json* Find(std::string_view key) const;

  // Returns the name of a field as errors have it: the prefix and `key`.
  std::string NameOf(std::string_view key) const;

 private:
  Error WrongValue(std::string_view key, std::string_view must_be) const;

  const nlohmann::ordered_json& object_;
  std::string prefix_;
};

}  // namespace ocelli::api

#endif  // OCELLI_API_REQUEST_FIELDS_H_
