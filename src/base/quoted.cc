#include "base/quoted.h"

#include <fmt/format.h>

namespace ocelli {
namespace {

constexpr size_t kMaxQuotedChars = 160;

bool IsPrintable(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text.substr(0, kMaxQuotedChars)) {
    if (IsPrintable(c) && c != '"' && c != '\\') {
      quoted += c;
    } else {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return quoted + (text.size() > kMaxQuotedChars ? "...\"" : "\"");
}

}  // namespace ocelli
