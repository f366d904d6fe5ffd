#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocelli {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;

// Returns the deepest nesting of brackets outside strings, without parsing.
int Nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

Error Fault(std::string message) { return Error{ErrorCode::kCorruptData, std::move(message), ""}; }

}  // namespace

Result<json> ParseJson(std::string_view text) {
  if (Nesting(text) > kMaxDepth) {
    return Fault(fmt::format("it nests deeper than {} levels", kMaxDepth));
  }
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    return Fault(fmt::format("syntax error at byte {}", error.byte));
  } catch (const json::exception&) {
    return Fault("a number is out of range");
  }
}

std::string_view JsonTypeName(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace ocelli
