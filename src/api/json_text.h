#ifndef OCELLI_API_JSON_TEXT_H_
#define OCELLI_API_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"

namespace ocelli::api {

// Parses JSON that a client sent: at most 64 levels deep, valid UTF-8; a byte-order mark is
// skipped.
// **Errors**: kInvalidArgument naming the byte where it stops making sense. The message holds
// nothing of the text itself, which may be a secret or not UTF-8.
Result<nlohmann::json> ParseJson(std::string_view text);

// Returns the JSON name of the type of `value`, with its article: "a string", "an object".
std::string_view JsonTypeName(const nlohmann::json& value);

}  // namespace ocelli::api

#endif  // OCELLI_API_JSON_TEXT_H_
