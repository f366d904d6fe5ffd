#ifndef OCELLI_API_SSE_H_
#define OCELLI_API_SSE_H_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace ocelli::api {

// The last event of an OpenAI stream.
inline constexpr std::string_view kSseDone = "data: [DONE]\n\n";

// Returns `value` as one line of JSON in UTF-8, whatever bytes its strings hold. Characters that
// some readers take for line ends (U+0085, U+2028, U+2029) are escaped.
std::string JsonLine(const nlohmann::ordered_json& value);

// Return a server-sent event with its blank line: only data; a name and data; a comment, which
// every reader passes over.
std::string SseData(const nlohmann::ordered_json& value);
std::string SseEvent(std::string_view name, const nlohmann::ordered_json& value);
std::string SseComment(const nlohmann::ordered_json& value);

}  // namespace ocelli::api

#endif  // OCELLI_API_SSE_H_
