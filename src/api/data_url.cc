#include "api/data_url.h"

#include <algorithm>
#include <string>

#include "api/base64.h"

namespace ocelli::api {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, Lower, Lower);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = Lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Undoes percent-encoding; a '%' without two hex digits stays, and base64 refuses it by name.
std::string PercentDecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
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
