#ifndef OCELLI_ENGINE_ENGINE_OPTIONS_H_
#define OCELLI_ENGINE_ENGINE_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/kv_block.h"
#include "kernels/packed_matrix.h"

namespace ocelli {

// Limits of an engine. None of them changes an answer, only who waits how long; but kv_type does,
// and weight_format may in the last bits.
struct EngineOptions {
  size_t max_queue = 64;                     // requests that wait; the next one is refused
  size_t max_sequences = 16;                 // answers written at the same time
  size_t max_context_tokens = 0;             // prompt and answer; 0: as many as the model can
  size_t max_image_tokens = 4096;            // of one picture
  size_t prefill_chunk_tokens = 512;         // most prompt tokens a step when nobody is writing
  size_t shared_prefill_chunk_tokens = 256;  // and when somebody is
  double step_seconds = 1.0;          // about how long a step may take when nobody is writing
  double shared_step_seconds = 0.4;   // and when somebody is; 0: whatever the chunks take
  uint64_t kv_memory_bytes = 0;       // KV blocks, prefix cache included
  uint64_t vision_cache_bytes = 0;    // encoded pictures
  bool prefix_cache = true;           // reuse KV blocks between requests
  KvType kv_type = KvType::kFloat32;  // how KV blocks keep their numbers
  WeightFormat weight_format = WeightFormat::kBf16;  // of matrices whose numbers all are bf16
  size_t max_draft_tokens = 4;  // prompt-lookup speculation: guesses a step at most; 0: off
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_ENGINE_OPTIONS_H_
