#include "api/sse.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<std::string_view, std::string_view> kLineEnds[] = {
    {"\xC2\x85", "\\u0085"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}};

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string JsonLine(const Json& value) {
  std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (const auto& [from, to] : kLineEnds) ReplaceAll(line, from, to);
  return line;
}

std::string SseData(const Json& value) { return "data: " + JsonLine(value) + "\n\n"; }

std::string SseEvent(std::string_view name, const Json& value) {
  return "event: " + std::string(name) + "\n" + SseData(value);
}

std::string SseComment(const Json& value) { return ": " + JsonLine(value) + "\n\n"; }

}  // namespace ocelli::api
