#include "api/data_url.h"

#include <algorithm>
#include <string>

#include "api/base64.h"
#include "api/percent_encoding.h"

namespace ocelli::api {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, Lower, Lower);
}

}  // namespace

bool IsDataUrl(std::string_view text) { return EqualsIgnoringCase(text.substr(0, 5), "data:"); }

Result<std::vector<std::byte>> DecodeDataUrl(std::string_view url, size_t limit_bytes) {
  const size_t comma = url.find(',');
  if (!IsDataUrl(url) || comma == std::string_view::npos) {
    return Error{ErrorCode::kInvalidArgument,
                 "not a data URL: expected data:image/...;base64,DATA with a comma before the data",
                 ""};
  }
  const std::string_view header = url.substr(0, comma);
  const size_t semicolon = header.rfind(';');
  if (semicolon == std::string_view::npos ||
      !EqualsIgnoringCase(header.substr(semicolon), ";base64")) {
    return Error{ErrorCode::kInvalidArgument,
                 "only base64 data URLs are read: ';base64' must stand before the comma", ""};
  }
  const std::string_view data = url.substr(comma + 1);
  if (data.find('%') == std::string_view::npos) return DecodeBase64(data, limit_bytes);
  return DecodeBase64(PercentDecoded(data), limit_bytes);
}

}  // namespace ocelli::api
