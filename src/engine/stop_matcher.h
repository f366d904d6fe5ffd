#ifndef OCELLI_ENGINE_STOP_MATCHER_H_
#define OCELLI_ENGINE_STOP_MATCHER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ocelli {

// Finds the first of several stop strings in text that arrives in pieces, wherever the pieces are
// cut, and never gives out text that is, or may yet become, part of one. What completes first wins.
class StopMatcher {
 public:
  // Stop strings are not empty.
  explicit StopMatcher(const std::vector<std::string>& stop);

  // Adds text and returns what can be given out now; after a stop string, nothing more.
  std::string Push(std::string_view text);

  // Returns the rest when the text ends without a stop string.
  std::string Finish();

  bool stopped() const { return stopped_; }

 private:
  // The longest start of a stop string that the text so far ends with (Knuth-Morris-Pratt).
  struct Pattern {
    std::string text;
    std::vector<size_t> border;  // [i]: longest proper border of text[0, i)
    size_t matched = 0;
    bool Advance(char c);
  };
  bool AdvanceAll(char c);
  size_t LongestMatch() const;

  std::vector<Pattern> patterns_;
  std::string held_;  // exactly the longest partial match
  bool stopped_ = false;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_STOP_MATCHER_H_
