#ifndef OCELLI_TEXT_UTF8_H_
#define OCELLI_TEXT_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace ocelli {

// One step of reading bytes as UTF-8.
struct Utf8Step {
  enum class Kind {
    kCharacter,   // `size_bytes` bytes are one well-formed character
    kInvalid,     // `size_bytes` bytes are a maximal ill-formed subpart: they read as one U+FFFD
    kIncomplete,  // the text ends inside a character that more bytes could complete
  };
  Kind kind;
  size_t size_bytes;
};

// Reads the character at the start of `bytes`, which must not be empty. Overlong forms, surrogates
// and values above U+10FFFF are ill-formed; the ill-formed part is as long as Unicode's rule of
// maximal subparts (the one of WHATWG and of Python's "replace") makes it.
Utf8Step ReadUtf8(std::string_view bytes);

// Returns whether all of `bytes` is well-formed UTF-8.
bool IsValidUtf8(std::string_view bytes);

// Returns `bytes` with every maximal ill-formed subpart replaced by U+FFFD, exactly as Python's
// bytes.decode("utf-8", errors="replace") does.
std::string ReplaceInvalidUtf8(std::string_view bytes);

// Returns the code point of the well-formed character at the start of `bytes`.
char32_t DecodeUtf8Character(std::string_view bytes);

// Appends `code_point` (a Unicode scalar value) to `out` as UTF-8.
void AppendUtf8(char32_t code_point, std::string& out);

}  // namespace ocelli

#endif  // OCELLI_TEXT_UTF8_H_
