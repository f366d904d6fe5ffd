#ifndef OCELLI_ENGINE_ENGINE_CORE_H_
#define OCELLI_ENGINE_ENGINE_CORE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/block_manager.h"
#include "engine/chunk_pacer.h"
#include "engine/engine.h"
#include "engine/engine_options.h"
#include "engine/live_request.h"
#include "engine/sampler.h"
#include "engine/scheduler.h"
#include "engine/vision_stage.h"

namespace ocelli {

// The engine without its thread: one Step at a time, every step the same whatever the clock.
// **Threads**: one at a time, but for Check.
class EngineCore {
 public:
  using Clock = std::function<TimePoint()>;

  // `options.kv_memory_bytes` must hold a block. `tokenizer` must outlive this.
  EngineCore(const EngineOptions& options, std::unique_ptr<ModelRunner> runner,
             const Tokenizer& tokenizer, Clock clock);

  // Verifies a request and reads its pictures' places. **Errors**: see Engine::Submit.
  // **Threads**: any.
  Result<AcceptedRequest> Check(GenerateRequest request) const;

  // Lets a request of Check with its id, sink and time filled in wait for its turn.
  void Add(AcceptedRequest accepted);
  void Cancel(RequestId id);
  void CancelAll();

  // Does the next bit of work: Begin, then Compute.
  bool Step();
  // Ends requests whose deadline has passed and starts those that have a place now.
  void Begin();
  // At most one encoder step, then at most one pass over the batch. Returns whether there was
  // anything to do.
  bool Compute();

  bool idle() const { return requests_.empty(); }
  size_t num_queued() const;
  EngineStats Stats() const;
  const Scheduler& scheduler() const { return scheduler_; }
  const BlockManager& blocks() const { return blocks_; }
  const VisionStage& vision() const { return vision_; }

 private:
  void EndExpired();
  void Admit();
  void SendQueuePositions();
  bool EncodeStep();
  bool ForwardStep();
  void CountEncoded();
  ForwardSegment MakeSegment(const Chunk& chunk) const;
  void Accept(const Chunk& chunk, MatView<const float> logits);
  struct Ended {
    FinishReason reason;
    std::optional<size_t> loop_start_token;
  };
  std::optional<Ended> WriteTokens(Answer& answer, MatView<const float> logits);
  void EndFailed();
  void FinishAnswer(Answer& answer, FinishReason reason, std::optional<size_t> loop_start_token);
  void FinishRequest(LiveRequest& request, FinishReason reason, std::optional<Error> error);
  void Close(LiveRequest& request, std::optional<Error> error);

  const EngineOptions options_;
  std::unique_ptr<ModelRunner> runner_;
  const Tokenizer& tokenizer_;
  Clock clock_;
  const RunnerPlan plan_;
  BlockManager blocks_;
  Scheduler scheduler_;
  VisionStage vision_;
  ChunkPacer pacer_;
  Sampler sampler_;
  std::map<RequestId, std::unique_ptr<LiveRequest>> requests_;  // by arrival
  std::vector<ForwardSegment> segments_;                        // of the current pass
  std::vector<std::pair<RequestId, Error>> failures_;           // of the current pass
  EngineStats stats_;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_ENGINE_CORE_H_
