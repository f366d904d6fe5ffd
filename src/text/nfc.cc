#include "text/nfc.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

constexpr size_t kMaxDecomposition = 8;  // characters; the longest canonical one has 4

utf8proc_propval_t CombiningClass(utf8proc_int32_t code_point) {
  return utf8proc_get_property(code_point)->combining_class;
}

// Returns whether a character may change, move or join the one before it under NFC.
bool MayChange(char32_t character) {
  if (character < 0x300) return false;  // no mark, and every letter is composed already
  if (character >= 0x1100 && character <= 0x11FF) return true;  // jamo join into syllables
  if (character >= 0xAC00 && character <= 0xD7A3) return false;
  const utf8proc_property_t* property =
      utf8proc_get_property(static_cast<utf8proc_int32_t>(character));
  const bool is_mark = property->category == UTF8PROC_CATEGORY_MN ||
                       property->category == UTF8PROC_CATEGORY_MC ||
                       property->category == UTF8PROC_CATEGORY_ME;
  const bool has_canonical_decomposition =
      property->decomp_seqindex != UINT16_MAX && property->decomp_type == 0;
  return is_mark || has_canonical_decomposition;
}

std::vector<utf8proc_int32_t> Decompose(std::string_view utf8) {
  std::vector<utf8proc_int32_t> code_points;
  code_points.reserve(utf8.size());
  std::array<utf8proc_int32_t, kMaxDecomposition> part;
  while (!utf8.empty()) {
    const auto code_point = static_cast<utf8proc_int32_t>(DecodeUtf8Character(utf8));
    int boundary_state = 0;
    const utf8proc_ssize_t size =
        utf8proc_decompose_char(code_point, part.data(), static_cast<utf8proc_ssize_t>(part.size()),
                                UTF8PROC_DECOMPOSE, &boundary_state);
    OCELLI_CHECK(size >= 0 && size <= static_cast<utf8proc_ssize_t>(part.size()),
                 "decomposition of U+{:04X}: {}", code_point, size);
    code_points.insert(code_points.end(), part.begin(), part.begin() + size);
    utf8.remove_prefix(ReadUtf8(utf8).size_bytes);
  }
  return code_points;
}

// Puts each run of combining marks in the order of their classes. utf8proc's own ordering takes
// quadratic time on long runs, which a request could bring.
void SortCombiningMarks(std::vector<utf8proc_int32_t>& code_points) {
  const auto is_mark = [](utf8proc_int32_t c) { return CombiningClass(c) != 0; };
  auto begin = code_points.begin();
  while ((begin = std::find_if(begin, code_points.end(), is_mark)) != code_points.end()) {
    const auto end = std::find_if_not(begin, code_points.end(), is_mark);
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return CombiningClass(a) < CombiningClass(b);
    });
    begin = end;
  }
}

// Returns where the first character that may change is, or the end.
size_t FindMayChange(std::string_view utf8, size_t begin) {
  size_t i = begin;
  // Every character below U+0300 starts with a byte below 0xCC.
  while (i < utf8.size() && (static_cast<unsigned char>(utf8[i]) < 0xCC ||
                             !MayChange(DecodeUtf8Character(utf8.substr(i))))) {
    i += ReadUtf8(utf8.substr(i)).size_bytes;
  }
  return i;
}

// Returns where the run of characters that may change ends.
size_t SkipMayChange(std::string_view utf8, size_t begin) {
  size_t i = begin;
  while (i < utf8.size() && MayChange(DecodeUtf8Character(utf8.substr(i)))) {
    i += ReadUtf8(utf8.substr(i)).size_bytes;
  }
  return i;
}

// Returns where the character before `i` starts, or 0.
size_t PreviousCharacter(std::string_view utf8, size_t i) {
  const auto is_continuation = [&](size_t at) { return (utf8[at] & 0xC0) == 0x80; };
  if (i > 0) --i;
  while (i > 0 && is_continuation(i)) --i;
  return i;
}

void AppendComposed(std::string_view utf8, std::string& out) {
  std::vector<utf8proc_int32_t> code_points = Decompose(utf8);
  SortCombiningMarks(code_points);
  const utf8proc_ssize_t size = utf8proc_normalize_utf32(
      code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  OCELLI_CHECK(size >= 0, "composition: {}", size);
  code_points.resize(static_cast<size_t>(size));
  for (const utf8proc_int32_t c : code_points) AppendUtf8(static_cast<char32_t>(c), out);
}

}  // namespace

bool IsSurelyNfc(std::string_view utf8) { return FindMayChange(utf8, 0) == utf8.size(); }

std::string ToNfc(std::string_view utf8) {
  std::string out;
  out.reserve(utf8.size());
  size_t done = 0;
  while (true) {
    const size_t run = FindMayChange(utf8, done);
    if (run == utf8.size()) return out.append(utf8.substr(done));
    // A mark can join the character before its run, and nothing reaches further back.
    const size_t begin = std::max(done, PreviousCharacter(utf8, run));
    const size_t end = SkipMayChange(utf8, run);
    out.append(utf8.substr(done, begin - done));
    AppendComposed(utf8.substr(begin, end - begin), out);
    done = end;
  }
}

}  // namespace ocelli
