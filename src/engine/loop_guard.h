#ifndef OCELLI_ENGINE_LOOP_GUARD_H_
#define OCELLI_ENGINE_LOOP_GUARD_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "text/tokenizer.h"

namespace ocelli {

// Notices answers that repeat themselves endlessly, as models do on pictures that they cannot read.
//
// The rule: the answer ends in one part of at most kMaxPeriod tokens, repeated without any change
// at least kMinRepeats times and over at least kMinLoopTokens tokens. So a part of 1 token must
// come 768 times, a table row of 12 tokens 64 times, a paragraph of 100 tokens 12 times. Real pages
// repeat less: 40 equal rows of a table, 24 equal labels of a sheet, a line of 300 dots and the
// answer to "write ha 200 times" all stay below it, and any change (a line number, another cell)
// starts the count afresh.
class LoopGuard {
 public:
  static constexpr size_t kMaxPeriod = 256;
  static constexpr size_t kMinRepeats = 12;
  static constexpr size_t kMinLoopTokens = 768;

  // Looks at the last token of `answer`, which grew by one since the last call. Returns where the
  // second copy of the repeated part begins, once the rule is met.
  std::optional<size_t> Push(std::span<const TokenId> answer);

 private:
  std::array<size_t, kMaxPeriod + 1> run_{};  // [p]: last tokens equal to the one p before them
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_LOOP_GUARD_H_
