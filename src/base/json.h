#ifndef OCELLI_BASE_JSON_H_
#define OCELLI_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Parses JSON that may be hostile: at most 64 levels deep, valid UTF-8; a byte-order mark is
// skipped. **Errors**: kCorruptData; the message is only the fault ("syntax error at byte 7"), for
// the caller to say what the text was, and holds nothing of the text itself, which may be a secret.
Result<nlohmann::json> ParseJson(std::string_view text);

// Returns the name of the type of `value` for messages: "a string", "an object", "null".
std::string_view JsonTypeName(const nlohmann::json& value);

}  // namespace ocelli

#endif  // OCELLI_BASE_JSON_H_
