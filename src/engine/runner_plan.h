#ifndef OCELLI_ENGINE_RUNNER_PLAN_H_
#define OCELLI_ENGINE_RUNNER_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "engine/engine_options.h"

namespace ocelli {

// The largest work that an engine gives to its runner.
struct RunnerPlan {
  size_t num_kv_blocks = 0;
  size_t max_rows = 0;      // of one Forward
  size_t max_logits = 0;    // likewise
  size_t max_segments = 0;  // likewise
};

// Returns the plan that `options` make. **Units**: `kv_block_bytes` of one KV block.
RunnerPlan MakeRunnerPlan(const EngineOptions& options, uint64_t kv_block_bytes);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_RUNNER_PLAN_H_
