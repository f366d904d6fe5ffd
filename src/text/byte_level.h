#ifndef OCELLI_TEXT_BYTE_LEVEL_H_
#define OCELLI_TEXT_BYTE_LEVEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ocelli {

// A tokenizer.json writes the bytes of its tokens in the byte-level alphabet of GPT-2, in which
// each byte is one printable character: itself where it is printable in Latin-1, else U+0100 and
// up, in the order of the bytes ("Ġ" is the space).

// Returns the character that stands for `byte`.
char32_t ByteLevelCharacter(uint8_t byte);

// Returns the bytes that the well-formed UTF-8 `text` stands for, or nothing when it holds a
// character that is not of the alphabet.
std::optional<std::string> BytesFromByteLevel(std::string_view text);

}  // namespace ocelli

#endif  // OCELLI_TEXT_BYTE_LEVEL_H_
