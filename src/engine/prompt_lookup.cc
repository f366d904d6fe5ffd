#include "engine/prompt_lookup.h"

#include <algorithm>
#include <span>

namespace ocelli {
namespace {

// Returns where the last `length` tokens appeared most recently before, just past them; 0: nowhere.
size_t FindEarlier(std::span<const TokenId> tokens, size_t length) {
  if (tokens.size() <= length) return 0;
  const auto pattern = tokens.last(length);
  for (size_t end = tokens.size() - 1; end >= length; --end) {
    const auto earlier = tokens.subspan(end - length, length);
    if (std::equal(pattern.begin(), pattern.end(), earlier.begin())) return end;
  }
  return 0;
}

}  // namespace

size_t PromptLookup::AppendGuess(std::vector<TokenId>& tokens, size_t limit) const {
  if (max_draft_tokens_ == 0) return 0;
  // One guess is always made, so that a sequence that begins to repeat itself is noticed.
  const size_t hopeful = max_draft_tokens_ >> std::min<size_t>(failures_, 16);
  const size_t count = std::min(limit, std::max<size_t>(hopeful, 1));
  for (size_t length = kLongestMatch; length >= kShortestMatch; --length) {
    const size_t next = FindEarlier(tokens, length);
    if (next == 0) continue;
    // A match close to the end runs into its own guesses: a repetition goes on.
    for (size_t i = 0; i < count; ++i) tokens.push_back(tokens[next + i]);
    return count;
  }
  return 0;
}

void PromptLookup::Report(size_t num_guessed, size_t num_right) {
  if (num_guessed == 0) return;
  failures_ = num_right > 0 ? 0 : failures_ + 1;
}

}  // namespace ocelli
