#ifndef OCELLI_ENGINE_ENGINE_H_
#define OCELLI_ENGINE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "engine/engine_options.h"
#include "engine/request.h"
#include "text/tokenizer.h"

namespace ocelli {

class ModelRunner;

// Names an accepted request.
using RequestId = uint64_t;

// Counters since start and gauges of now.
struct EngineStats {
  uint64_t requests_accepted = 0;
  uint64_t requests_refused = 0;  // queue full
  uint64_t requests_finished = 0;
  uint64_t requests_cancelled = 0;
  uint64_t steps = 0;
  uint64_t prompt_tokens = 0;
  uint64_t cached_tokens = 0;  // of prompt_tokens: from the prefix cache
  uint64_t completion_tokens = 0;
  uint64_t preemptions = 0;
  uint64_t pictures_encoded = 0;
  uint64_t vision_cache_hits = 0;
  uint64_t draft_tokens = 0;     // guessed by prompt lookup
  uint64_t accepted_tokens = 0;  // of draft_tokens: guessed right
  double encode_seconds = 0;
  size_t waiting_requests = 0;
  size_t running_sequences = 0;
  size_t kv_blocks_total = 0;
  size_t kv_blocks_in_use = 0;  // by running sequences
  size_t kv_blocks_cached = 0;  // kept for reuse, given up when needed
  uint64_t vision_cache_used_bytes = 0;
};

// Answers prompts, many at a time, on one thread of its own. At temperature 0 a prompt's answer
// does not depend on what else runs, on the caches, or on any option.
// **Threads**: every function from any thread, but never from an EventSink.
class Engine {
 public:
  // Starts the engine thread. **Errors**: kInvalidArgument, kResourceExhausted for options that
  // leave no room for a single KV block.
  static Result<std::unique_ptr<Engine>> Create(const EngineOptions& options,
                                                std::unique_ptr<ModelRunner> runner,
                                                std::shared_ptr<const Tokenizer> tokenizer);
  // Stops.
  ~Engine();

  // Queues `request`; its events go to `sink` until a FinishedEvent, which always comes.
  // **Errors** (no event is sent then): kInvalidArgument, kTooLarge for prompts over the context or
  // the memory budget; kResourceExhausted when the queue is full; kUnavailable after Drain or Stop.
  Result<RequestId> Submit(GenerateRequest request, EventSink sink);

  // Ends a request within one step (between two encoder layers, prompt chunks or tokens), whatever
  // it is doing. Unknown and finished ids are ignored.
  void Cancel(RequestId id);

  // Accepts no more requests and returns when those accepted have finished.
  void Drain();

  // Accepts no more requests, cancels those accepted and returns when the thread has ended.
  void Stop();

  EngineStats Stats() const;

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_ENGINE_H_
