#include "character_errors.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "text/utf8.h"

namespace ocelli {
namespace {

std::u32string Characters(std::string_view text) {
  const std::string valid = ReplaceInvalidUtf8(text);
  std::u32string characters;
  for (std::string_view rest = valid; !rest.empty();
       rest.remove_prefix(ReadUtf8(rest).size_bytes)) {
    characters.push_back(DecodeUtf8Character(rest));
  }
  return characters;
}

}  // namespace

size_t CountCharacters(std::string_view text) { return Characters(text).size(); }

size_t CharacterErrors(std::string_view got, std::string_view wanted) {
  const std::u32string from = Characters(got);
  const std::u32string to = Characters(wanted);
  std::vector<size_t> row(to.size() + 1);  // errors of `from` so far against every start of `to`
  std::iota(row.begin(), row.end(), size_t{0});
  for (const char32_t character : from) {
    size_t diagonal = row[0]++;
    for (size_t i = 1; i < row.size(); ++i) {
      const size_t changed = diagonal + (character != to[i - 1] ? 1 : 0);
      diagonal = row[i];
      row[i] = std::min({changed, row[i] + 1, row[i - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace ocelli
