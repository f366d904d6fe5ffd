#ifndef OCELLI_API_IDS_H_
#define OCELLI_API_IDS_H_

#include <string>
#include <string_view>

namespace ocelli::api {

// Returns `prefix` and 24 random letters and digits, which nobody can guess: "chatcmpl-...".
// **Threads**: any.
std::string NewId(std::string_view prefix);

}  // namespace ocelli::api

#endif  // OCELLI_API_IDS_H_
