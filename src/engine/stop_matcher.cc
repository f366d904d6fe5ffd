#include "engine/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace ocelli {
namespace {

std::vector<size_t> Borders(std::string_view text) {
  std::vector<size_t> border(text.size() + 1, 0);
  size_t length = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    while (length > 0 && text[i] != text[length]) length = border[length];
    if (text[i] == text[length]) ++length;
    border[i + 1] = length;
  }
  return border;
}

}  // namespace

StopMatcher::StopMatcher(const std::vector<std::string>& stop) {
  for (const std::string& text : stop) patterns_.push_back({text, Borders(text), 0});
}

std::string StopMatcher::Push(std::string_view text) {
  if (stopped_) return {};
  if (patterns_.empty()) return std::string(text);
  for (const char c : text) {
    held_.push_back(c);
    if (AdvanceAll(c)) {
      stopped_ = true;
      held_.resize(held_.size() - LongestMatch());
      return std::exchange(held_, {});
    }
  }
  const size_t ready = held_.size() - LongestMatch();
  std::string out = held_.substr(0, ready);
  held_.erase(0, ready);
  return out;
}

std::string StopMatcher::Finish() { return std::exchange(held_, {}); }

bool StopMatcher::Pattern::Advance(char c) {
  while (matched > 0 && c != text[matched]) matched = border[matched];
  if (c == text[matched]) ++matched;
  return matched == text.size();
}

// Returns whether a stop string is complete. Of several that end at this character, the longest
// counts: it begins first.
bool StopMatcher::AdvanceAll(char c) {
  bool complete = false;
  for (Pattern& pattern : patterns_) complete |= pattern.Advance(c);
  if (!complete) return false;
  for (Pattern& pattern : patterns_) {
    if (pattern.matched < pattern.text.size()) pattern.matched = 0;
  }
  return true;
}

size_t StopMatcher::LongestMatch() const {
  size_t longest = 0;
  for (const Pattern& pattern : patterns_) longest = std::max(longest, pattern.matched);
  return longest;
}

}  // namespace ocelli
