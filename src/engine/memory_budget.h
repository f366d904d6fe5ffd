#ifndef OCELLI_ENGINE_MEMORY_BUDGET_H_
#define OCELLI_ENGINE_MEMORY_BUDGET_H_

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/machine_limits.h"
#include "engine/engine_options.h"
#include "model/model.h"

namespace ocelli {

// Where the memory of an engine goes, decided before any of it is taken. **Units**: bytes.
struct MemoryPlan {
  uint64_t usable_bytes = 0;  // what can be had
  uint64_t weight_bytes = 0;
  uint64_t working_bytes = 0;  // of encoder and decoder
  uint64_t kv_bytes = 0;
  uint64_t vision_cache_bytes = 0;
  size_t kv_tokens = 0;  // what kv_bytes hold

  // Returns it in words: "weights 4.26 GiB, working memory ..., of 12.00 GiB that can be had".
  std::string Describe() const;
};

// Plans the memory of an engine of `options` and fills in those of its kv_memory_bytes and
// vision_cache_bytes that are 0. Beside the model's fixed parts, something stays free for all else:
// a sixteenth where a limit is ours alone (cgroup, ulimit), a quarter where the machine is shared
// with others, and never less than 64 MiB. Of the rest a fifth goes to encoded pictures (at least
// one of the largest size, at most eight), the other part to KV blocks (at most what max_sequences
// full contexts need).
// **Errors**: kResourceExhausted when there is no room for one context of 1,024 tokens (or less
// where `max_context_tokens` is less), naming what is needed, what there is and what to do.
Result<MemoryPlan> PlanMemory(const MemoryLimits& limits, const ModelMemory& memory,
                              size_t max_context_tokens, EngineOptions& options);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_MEMORY_BUDGET_H_
