#include "engine/runner_plan.h"

#include <algorithm>

namespace ocelli {

RunnerPlan MakeRunnerPlan(const EngineOptions& options, uint64_t kv_block_bytes) {
  const size_t writing_rows = options.max_sequences * (1 + options.max_draft_tokens);
  RunnerPlan plan;
  plan.num_kv_blocks = static_cast<size_t>(options.kv_memory_bytes / kv_block_bytes);
  plan.max_rows =
      writing_rows + std::max(options.prefill_chunk_tokens, options.shared_prefill_chunk_tokens);
  plan.max_logits = writing_rows;
  plan.max_segments = options.max_sequences;
  return plan;
}

}  // namespace ocelli
