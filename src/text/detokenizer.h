#ifndef OCELLI_TEXT_DETOKENIZER_H_
#define OCELLI_TEXT_DETOKENIZER_H_

#include <span>
#include <string>

#include "text/tokenizer.h"

namespace ocelli {

// What decoding does with tokens that the tokenizer marks special, such as <|im_end|>.
enum class SpecialTokens { kSkip, kKeep };

// Returns the text of `ids`: their bytes joined, every ill-formed part as U+FFFD. Ids without bytes
// add nothing.
std::string Decode(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                   SpecialTokens special_tokens = SpecialTokens::kSkip);

// Turns tokens into text one at a time, never giving out a part of a character. All that Push
// returned and then Finish, joined, is Decode of all the tokens. The tokenizer must outlive it.
//
// **Threads**: one thread at a time.
class StreamingDetokenizer {
 public:
  explicit StreamingDetokenizer(const Tokenizer& tokenizer,
                                SpecialTokens special_tokens = SpecialTokens::kSkip)
      : tokenizer_(&tokenizer), special_tokens_(special_tokens) {}

  // Adds a token and returns the text that is complete now, often none. At most 3 bytes are held
  // back.
  std::string Push(TokenId id);

  // Ends the text: returns what was held back, an unfinished character as U+FFFD. The next Push
  // starts a new text.
  std::string Finish();

 private:
  const Tokenizer* tokenizer_;
  SpecialTokens special_tokens_;
  std::string held_;  // the start of a character
};

}  // namespace ocelli

#endif  // OCELLI_TEXT_DETOKENIZER_H_
