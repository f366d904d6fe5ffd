#include "engine/loop_guard.h"

#include <algorithm>

namespace ocelli {

std::optional<size_t> LoopGuard::Push(std::span<const TokenId> answer) {
  const size_t last = answer.size() - 1;
  std::optional<size_t> second_copy;
  for (size_t period = 1; period <= std::min(last, kMaxPeriod); ++period) {
    const bool same = answer[last] == answer[last - period];
    run_[period] = same ? run_[period] + 1 : 0;
    const size_t loop_tokens = run_[period] + period;
    if (!second_copy && loop_tokens >= std::max(kMinLoopTokens, kMinRepeats * period)) {
      second_copy = answer.size() - run_[period];
    }
  }
  return second_copy;
}

}  // namespace ocelli
