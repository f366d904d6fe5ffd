#ifndef OCELLI_ENGINE_MEMORY_BUDGET_H_
#define OCELLI_ENGINE_MEMORY_BUDGET_H_

#include <cstdint>

#include "base/error.h"
#include "engine/engine_options.h"
#include "model/model.h"

namespace ocelli {

// Fills in those of `options`' kv_memory_bytes and vision_cache_bytes that are 0, from what is left
// of `usable_bytes` beside the model's fixed parts: a sixteenth (at least 64 MiB) stays free for
// everything else, a fifth goes to encoded pictures (at least one of the largest size, at most
// eight), the rest to KV blocks (at most what max_sequences full contexts need).
// **Errors**: kResourceExhausted when that leaves no room for one context of 1,024 tokens (or less
// where the model's is shorter), naming what is needed and what there is.
Status ShareMemory(uint64_t usable_bytes, const ModelMemory& memory, size_t max_context_tokens,
                   EngineOptions& options);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_MEMORY_BUDGET_H_
