#ifndef OCELLI_TEXT_PATTERN_DIALECT_H_
#define OCELLI_TEXT_PATTERN_DIALECT_H_

#include <string>
#include <string_view>

namespace ocelli {

// Returns the regular expression `oniguruma`, written for the engine of the reference tokenizer, in
// words that give PCRE2 the same meaning where the two differ: \s and \S become the White_Space
// property (PCRE2's own \s also takes U+180E), and \p{L} and \p{N} gain the letters and numbers of
// Unicode 16, which an older PCRE2 library does not know.
std::string TranslatePattern(std::string_view oniguruma);

}  // namespace ocelli

#endif  // OCELLI_TEXT_PATTERN_DIALECT_H_
