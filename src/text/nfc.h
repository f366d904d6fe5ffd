#ifndef OCELLI_TEXT_NFC_H_
#define OCELLI_TEXT_NFC_H_

#include <string>
#include <string_view>

namespace ocelli {

// Returns whether well-formed UTF-8 is surely in Normalization Form C already, seen from its
// characters alone: quick, and false for some text that is.
bool IsSurelyNfc(std::string_view utf8);

// Returns well-formed UTF-8 in Normalization Form C. Time grows as n log n whatever the text, also
// for a million combining marks on one letter.
// **Ref**: Unicode Standard Annex 15.
std::string ToNfc(std::string_view utf8);

}  // namespace ocelli

#endif  // OCELLI_TEXT_NFC_H_
