#ifndef OCELLI_TESTS_EMBEDDED_CHARACTER_ERRORS_H_
#define OCELLI_TESTS_EMBEDDED_CHARACTER_ERRORS_H_

#include <cstddef>
#include <string_view>

namespace ocelli {

// Returns how many characters the UTF-8 text `text` has.
size_t CountCharacters(std::string_view text);

// Returns the fewest characters to add, take away or change that turn `got` into `wanted` (the
// Levenshtein distance); both are UTF-8. A character error rate is this over the length of
// `wanted`.
size_t CharacterErrors(std::string_view got, std::string_view wanted);

}  // namespace ocelli

#endif  // OCELLI_TESTS_EMBEDDED_CHARACTER_ERRORS_H_
