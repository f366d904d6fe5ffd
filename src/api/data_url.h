#ifndef OCELLI_API_DATA_URL_H_
#define OCELLI_API_DATA_URL_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli::api {

// Returns true when `text` starts with "data:" in any case.
bool IsDataUrl(std::string_view text);

// Returns the bytes of a base64 data URL, "data:[type][;parameter]*;base64,DATA". The media type is
// not believed: clients send PNG bytes as image/jpeg; the bytes themselves tell. DATA may also be
// percent-encoded base64 (%2B, %2F, %3D). **Errors**: kInvalidArgument without a comma or without
// ";base64", or for bad digits; kTooLarge above `limit_bytes`. **Ref**: RFC 2397.
Result<std::vector<std::byte>> DecodeDataUrl(std::string_view url, size_t limit_bytes);

}  // namespace ocelli::api

#endif  // OCELLI_API_DATA_URL_H_
