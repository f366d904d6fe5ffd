#include "text/pattern_dialect.h"

#include <algorithm>
#include <cstddef>

namespace ocelli {
namespace {

// Letters and numbers that Unicode 15.0, 15.1 and 16.0 added, as parts of a character class. PCRE2
// 10.42 knows Unicode 14. The CJK extensions H and I among them hold characters of Chinese names.
constexpr std::string_view kNewLetters =
    R"(\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC}\x{105C0}-\x{105F3})"
    R"(\x{10D4A}-\x{10D65}\x{10D6F}-\x{10D85}\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240})"
    R"(\x{11380}-\x{11389}\x{1138B}\x{1138E}\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3})"
    R"(\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33}\x{1342F})"
    R"(\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D}\x{16D40}-\x{16D6C}\x{18CFF})"
    R"(\x{1B132}\x{1B155}\x{1DF25}-\x{1DF2A}\x{1E030}-\x{1E06D}\x{1E4D0}-\x{1E4EB})"
    R"(\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739}\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";
constexpr std::string_view kNewNumbers =
    R"(\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{11F50}-\x{11F59})"
    R"(\x{16130}-\x{16139}\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3})"
    R"(\x{1E4F0}-\x{1E4F9}\x{1E5F1}-\x{1E5FA})";

struct Translation {
  std::string_view from;
  std::string_view to;         // what PCRE2 is given, inside a class and outside
  std::string_view additions;  // further members, which outside a class need one of their own
};

constexpr Translation kTranslations[] = {
    {R"(\s)", R"(\p{White_Space})", ""},
    {R"(\S)", R"(\P{White_Space})", ""},
    {R"(\p{L})", R"(\p{L})", kNewLetters},
    {R"(\p{N})", R"(\p{N})", kNewNumbers},
};

const Translation* FindTranslation(std::string_view pattern) {
  for (const Translation& translation : kTranslations) {
    if (pattern.starts_with(translation.from)) return &translation;
  }
  return nullptr;
}

// Appends `translation` to `out` as it must be written inside a class or outside.
void Append(const Translation& translation, bool in_class, std::string& out) {
  const bool needs_class = !in_class && !translation.additions.empty();
  if (needs_class) out.push_back('[');
  out.append(translation.to).append(translation.additions);
  if (needs_class) out.push_back(']');
}

}  // namespace

std::string TranslatePattern(std::string_view oniguruma) {
  std::string out;
  bool in_class = false;
  while (!oniguruma.empty()) {
    if (const Translation* translation = FindTranslation(oniguruma)) {
      Append(*translation, in_class, out);
      oniguruma.remove_prefix(translation->from.size());
      continue;
    }
    if (oniguruma.front() == '[') in_class = true;
    if (oniguruma.front() == ']') in_class = false;
    const size_t size = oniguruma.front() == '\\' ? 2 : 1;  // an escaped character means itself
    out.append(oniguruma.substr(0, size));
    oniguruma.remove_prefix(std::min(size, oniguruma.size()));
  }
  return out;
}

}  // namespace ocelli
