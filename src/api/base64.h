#ifndef OCELLI_API_BASE64_H_
#define OCELLI_API_BASE64_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli::api {

// Decodes base64 in every form that real clients send: standard or URL-safe alphabet, with or
// without padding, broken into lines. **Errors**: kInvalidArgument naming the first bad character
// and its place; kTooLarge when more than `limit_bytes` would come out (before memory is taken).
// **Ref**: RFC 4648.
Result<std::vector<std::byte>> DecodeBase64(std::string_view text, size_t limit_bytes);

}  // namespace ocelli::api

#endif  // OCELLI_API_BASE64_H_
