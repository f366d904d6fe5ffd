#ifndef OCELLI_BASE_JSON_H_
#define OCELLI_BASE_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// Parses JSON that may be hostile: at most 64 levels deep, valid UTF-8; a byte-order mark is
// skipped. **Errors**: kCorruptData; the message is only the fault ("syntax error at byte 7"), for
// the caller to say what the text was, and holds nothing of the text itself, which may be a secret.
Result<nlohmann::json> ParseJson(std::string_view text);

// The same for bodies from strangers, whose objects keep the order of their keys: at most
// kMaxJsonValues values and kMaxJsonKeys keys an object, counted before memory is taken, because a
// few bytes of JSON become many in memory. **Errors**: as ParseJson.
inline constexpr size_t kMaxJsonValues = 100'000;
inline constexpr size_t kMaxJsonKeys = 2048;
Result<nlohmann::ordered_json> ParseOrderedJson(std::string_view text);

// Returns the name of the type of `value` for messages: "a string", "an object", "null".
std::string_view JsonTypeName(const nlohmann::json& value);
std::string_view JsonTypeName(const nlohmann::ordered_json& value);

}  // namespace ocelli

#endif  // OCELLI_BASE_JSON_H_
