#include "base/printable.h"

#include <fmt/format.h>
#include <utf8proc.h>

namespace ocelli {
namespace {

bool IsVisible(utf8proc_int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_CN:  // unassigned
    case UTF8PROC_CATEGORY_CC:  // control
    case UTF8PROC_CATEGORY_CF:  // format
    case UTF8PROC_CATEGORY_CS:  // surrogate
    case UTF8PROC_CATEGORY_CO:  // private use
    case UTF8PROC_CATEGORY_ZL:  // line separator
    case UTF8PROC_CATEGORY_ZP:  // paragraph separator
      return false;
    default:
      return true;
  }
}

// Appends the first character of `text` to `out`; returns its size in bytes.
size_t AppendCharacter(std::string_view text, std::string& out) {
  utf8proc_int32_t code_point = -1;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const utf8proc_ssize_t read =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  const size_t size = read > 0 ? static_cast<size_t>(read) : 1;
  if (read > 0 && IsVisible(code_point)) {
    out += text.substr(0, size);
  } else {
    for (char c : text.substr(0, size)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return size;
}

std::string Escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) text.remove_prefix(AppendCharacter(text, out));
  return out;
}

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::string Printable(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return Escaped(text);
  size_t head = max_bytes / 2;
  while (head > 0 && ContinuesCharacter(text[head])) --head;
  size_t tail = text.size() - max_bytes / 2;
  while (tail < text.size() && ContinuesCharacter(text[tail])) ++tail;
  return Escaped(text.substr(0, head)) + "..." + Escaped(text.substr(tail));
}

}  // namespace ocelli
