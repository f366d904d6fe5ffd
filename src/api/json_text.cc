#include "api/json_text.h"

#include <fmt/format.h>

#include <string>

namespace ocelli::api {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error TooDeep() {
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("the JSON nests deeper than {} levels", kMaxDepth), ""};
}

}  // namespace

Result<json> ParseJson(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  bool too_deep = false;
  // The callback drops what is too deep, so no deep value is ever built.
  const auto keep = [&too_deep](int depth, json::parse_event_t, json&) {
    too_deep |= depth > kMaxDepth;
    return depth <= kMaxDepth;
  };
  try {
    json value = json::parse(text, keep);
    if (too_deep) return TooDeep();
    return value;
  } catch (const json::parse_error& error) {
    if (too_deep) return TooDeep();
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("not valid JSON in UTF-8: it stops making sense at byte {}", error.byte), ""};
  } catch (const json::exception&) {
    return Error{ErrorCode::kInvalidArgument, "not valid JSON: a number is out of range", ""};
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

}  // namespace ocelli::api
