#ifndef OCELLI_ENGINE_PROMPT_LOOKUP_H_
#define OCELLI_ENGINE_PROMPT_LOOKUP_H_

#include <cstddef>
#include <vector>

#include "text/tokenizer.h"

namespace ocelli {

// Guesses the next tokens of a sequence: those that followed the last time its newest tokens
// appeared in it. Guesses cost one row each in the next pass and are checked there against what the
// sampler takes, so they change how fast an answer comes and never what it is.
// **Ref**: Saxena, "Prompt lookup decoding".
class PromptLookup {
 public:
  // Tokens that must agree: three, or two when three were never seen before.
  static constexpr size_t kLongestMatch = 3;
  static constexpr size_t kShortestMatch = 2;

  explicit PromptLookup(size_t max_draft_tokens) : max_draft_tokens_(max_draft_tokens) {}

  // Appends up to `limit` and max_draft_tokens guesses to `tokens`, fewer while guesses keep
  // failing, and returns how many.
  size_t AppendGuess(std::vector<TokenId>& tokens, size_t limit) const;

  // Learns how a guess went.
  void Report(size_t num_guessed, size_t num_right);

 private:
  size_t max_draft_tokens_;
  size_t failures_ = 0;  // guesses in a row of which nothing was right
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_PROMPT_LOOKUP_H_
