#include "base/error.h"

#include <fmt/format.h>

namespace ocelli {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kTooLarge:
      return "too_large";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kCorruptData:
      return "corrupt_data";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kResourceExhausted:
      return "resource_exhausted";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInternal:
      return "internal";
  }
  OCELLI_CHECK(false, "unknown ErrorCode {}", static_cast<int>(code));
}

Error Error::WithContext(std::string_view prefix) const {
  return Error{code, fmt::format("{}: {}", prefix, message), param};
}

}  // namespace ocelli
