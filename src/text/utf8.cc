#include "text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ocelli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

uint8_t ByteAt(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

// What may follow a first byte. Only the second byte's range is ever narrower than 80..BF: that is
// where overlong forms, surrogates and values above U+10FFFF show.
struct LeadByte {
  size_t size_bytes;  // of the whole character, or 0 for a byte that starts none
  uint8_t second_min = 0x80;
  uint8_t second_max = 0xBF;
};

LeadByte ClassifyLeadByte(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

// Returns how many bytes at the start of `bytes` are ASCII, counted in whole words.
size_t AsciiPrefix(std::string_view bytes) {
  size_t i = 0;
  for (uint64_t word; i + sizeof(word) <= bytes.size(); i += sizeof(word)) {
    std::memcpy(&word, bytes.data() + i, sizeof(word));
    if ((word & 0x8080808080808080u) != 0) break;
  }
  return i;
}

// Returns how many bytes at the start of `bytes` are well-formed characters.
size_t ValidPrefix(std::string_view bytes) {
  size_t i = 0;
  while (i < bytes.size()) {
    i += AsciiPrefix(bytes.substr(i));
    if (i == bytes.size()) break;
    const Utf8Step step = ReadUtf8(bytes.substr(i));
    if (step.kind != Utf8Step::Kind::kCharacter) break;
    i += step.size_bytes;
  }
  return i;
}

}  // namespace

Utf8Step ReadUtf8(std::string_view bytes) {
  using Kind = Utf8Step::Kind;
  const LeadByte lead = ClassifyLeadByte(ByteAt(bytes, 0));
  if (lead.size_bytes == 0) return {Kind::kInvalid, 1};
  const size_t available = std::min(lead.size_bytes, bytes.size());
  for (size_t i = 1; i < available; ++i) {
    const uint8_t min = i == 1 ? lead.second_min : 0x80;
    const uint8_t max = i == 1 ? lead.second_max : 0xBF;
    const uint8_t byte = ByteAt(bytes, i);
    if (byte < min || byte > max) return {Kind::kInvalid, i};
  }
  if (available < lead.size_bytes) return {Kind::kIncomplete, available};
  return {Kind::kCharacter, lead.size_bytes};
}

bool IsValidUtf8(std::string_view bytes) { return ValidPrefix(bytes) == bytes.size(); }

std::string ReplaceInvalidUtf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (true) {
    const size_t valid = ValidPrefix(bytes);
    out.append(bytes.substr(0, valid));
    bytes.remove_prefix(valid);
    if (bytes.empty()) return out;
    out.append(kReplacement);
    bytes.remove_prefix(ReadUtf8(bytes).size_bytes);
  }
}

char32_t DecodeUtf8Character(std::string_view bytes) {
  const uint8_t lead = ByteAt(bytes, 0);
  if (lead < 0x80) return lead;
  const size_t size_bytes = ClassifyLeadByte(lead).size_bytes;
  char32_t code_point = lead & (0x7Fu >> size_bytes);
  for (size_t i = 1; i < size_bytes; ++i) code_point = code_point << 6 | (ByteAt(bytes, i) & 0x3Fu);
  return code_point;
}

void AppendUtf8(char32_t code_point, std::string& out) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(value)); };
  const auto continuation = [&](int shift) { byte(0x80 | (code_point >> shift & 0x3F)); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | code_point >> 6);
    continuation(0);
  } else if (code_point < 0x10000) {
    byte(0xE0 | code_point >> 12);
    continuation(6);
    continuation(0);
  } else {
    byte(0xF0 | code_point >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace ocelli
