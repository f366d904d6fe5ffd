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

}  // namespace

bool IsSurelyNfc(std::string_view utf8) {
  while (!utf8.empty()) {
    // Every character below U+0300 starts with a byte below 0xCC.
    if (static_cast<unsigned char>(utf8.front()) >= 0xCC && MayChange(DecodeUtf8Character(utf8))) {
      return false;
    }
    utf8.remove_prefix(ReadUtf8(utf8).size_bytes);
  }
  return true;
}

std::string ToNfc(std::string_view utf8) {
  if (IsSurelyNfc(utf8)) return std::string(utf8);
  std::vector<utf8proc_int32_t> code_points = Decompose(utf8);
  SortCombiningMarks(code_points);
  const utf8proc_ssize_t size = utf8proc_normalize_utf32(
      code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  OCELLI_CHECK(size >= 0, "composition: {}", size);
  code_points.resize(static_cast<size_t>(size));
  std::string out;
  out.reserve(utf8.size());
  for (const utf8proc_int32_t c : code_points) AppendUtf8(static_cast<char32_t>(c), out);
  return out;
}

}  // namespace ocelli
