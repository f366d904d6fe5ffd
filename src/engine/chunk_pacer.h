#ifndef OCELLI_ENGINE_CHUNK_PACER_H_
#define OCELLI_ENGINE_CHUNK_PACER_H_

#include <cstddef>

#include "engine/engine_options.h"

namespace ocelli {

// Prompt tokens that one pass may read.
struct ChunkLimits {
  size_t alone = 0;   // when nobody is writing
  size_t shared = 0;  // when somebody is
};

// Chooses how much of a prompt a pass reads, so that a pass takes about as long as EngineOptions
// ask for on this machine: long enough to be efficient, short enough for streams to go on and for a
// client that left to be noticed. Answers do not depend on it. **Threads**: the engine thread.
class ChunkPacer {
 public:
  // Fewer tokens would read the weights more often than the work is worth.
  static constexpr size_t kMinChunkTokens = 16;

  explicit ChunkPacer(const EngineOptions& options) : options_(options) {}

  ChunkLimits Limits() const;

  // Learns that a pass over `num_prompt_tokens` (and the streams' rows) took `seconds`.
  void Report(size_t num_prompt_tokens, double seconds);

 private:
  size_t LimitFor(double wanted_seconds, size_t most_tokens) const;

  EngineOptions options_;
  bool knows_ = false;
  double seconds_per_token_ = 0;  // recent mean
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_CHUNK_PACER_H_
