#include "text/byte_level.h"

#include <array>
#include <cstddef>

#include "text/utf8.h"

namespace ocelli {
namespace {

constexpr char32_t kAlphabetEnd = 0x144;  // one past the character of the last byte

constexpr bool IsPrintableLatin1(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> MakeCharacters() {
  std::array<char32_t, 256> characters{};
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    characters[static_cast<size_t>(byte)] =
        IsPrintableLatin1(byte) ? static_cast<char32_t>(byte) : next++;
  }
  return characters;
}

constexpr std::array<char32_t, 256> kCharacters = MakeCharacters();

// The byte of each character below kAlphabetEnd, or -1.
constexpr std::array<int16_t, kAlphabetEnd> MakeBytes() {
  std::array<int16_t, kAlphabetEnd> bytes{};
  bytes.fill(-1);
  for (size_t byte = 0; byte < 256; ++byte) bytes[kCharacters[byte]] = static_cast<int16_t>(byte);
  return bytes;
}

constexpr std::array<int16_t, kAlphabetEnd> kBytes = MakeBytes();

}  // namespace

char32_t ByteLevelCharacter(uint8_t byte) { return kCharacters[byte]; }

std::optional<std::string> BytesFromByteLevel(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const char32_t character = DecodeUtf8Character(text);
    if (character >= kAlphabetEnd || kBytes[character] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kBytes[character]));
    text.remove_prefix(ReadUtf8(text).size_bytes);
  }
  return bytes;
}

}  // namespace ocelli
