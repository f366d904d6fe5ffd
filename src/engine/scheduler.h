#ifndef OCELLI_ENGINE_SCHEDULER_H_
#define OCELLI_ENGINE_SCHEDULER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/block_manager.h"
#include "engine/chunk_pacer.h"
#include "engine/engine_options.h"
#include "engine/model_runner.h"
#include "engine/sequence.h"

namespace ocelli {

// What one pass computes for one sequence: its next `num_tokens` tokens, guesses included.
struct Chunk {
  Sequence* sequence = nullptr;
  size_t num_tokens = 0;
  size_t num_logits = 0;  // of the last rows; 0 while more of the prompt is to come
};

// Decides what runs next. Every step, in this order:
//   1. waiting sequences start, oldest first, while there is a place and KV memory for all their
//      tokens (what the prefix cache has is shared, not taken);
//   2. every stream that waits for its next token gets a row, plus guesses while memory is plenty
//      and rows are few; when blocks run out, the newest sequence is preempted: it waits again and
//      recomputes;
//   3. the rest of the step reads prompts: half goes to the prompt with the least left to read, the
//      other half to the oldest, so short prompts pass long ones and none is ever stopped.
// The oldest sequence always gets on, so everyone does in the end.
// **Threads**: the engine thread. **Ref**: nano-vllm and vLLM's scheduler for the general scheme.
class Scheduler {
 public:
  // `blocks` and `runner` must outlive this.
  Scheduler(const EngineOptions& options, BlockManager& blocks, ModelRunner& runner);

  // Lets `sequence` wait for its turn.
  void Add(Sequence& sequence);
  // Forgets `sequence`, whatever it is doing, and releases its blocks.
  void Remove(Sequence& sequence);
  // As Remove, for a sequence whose numbers went wrong: what it computed is not to be reused.
  void RemoveFailed(Sequence& sequence);

  // Step 1. Returns the sequences that started, valid until the next call.
  std::span<Sequence* const> Admit();
  // Steps 2 and 3; empty when every sequence waits for a picture.
  std::span<const Chunk> NextBatch(const ChunkLimits& limits);
  // Records that the next `num_tokens` of `sequence` are computed and may be shared.
  void Commit(Sequence& sequence, size_t num_tokens);

  std::span<Sequence* const> waiting() const { return waiting_; }  // by order
  std::span<Sequence* const> running() const { return running_; }  // by order
  uint64_t num_preemptions() const { return num_preemptions_; }

 private:
  bool IsHeldBack(Sequence& sequence, const PrefixMatch& match) const;
  bool TryStart(Sequence& sequence, PrefixMatch match);
  void TakeWhole(Sequence& sequence, const PrefixMatch& match);
  void TakeOver(Sequence& sequence, const PrefixMatch& match);
  void CopyTail(Sequence& sequence, const PrefixMatch& match);
  void ScheduleWriting(Sequence& sequence, size_t num_writing);
  void SchedulePrompts(size_t budget);
  void AddChunk(Sequence& sequence, size_t num_tokens);
  bool Grow(Sequence& sequence, size_t num_tokens);
  bool GrowByPreempting(Sequence& sequence, size_t num_tokens);
  size_t GuessLimit(const Sequence& sequence, size_t num_writing) const;
  void Preempt(Sequence& sequence);
  void ReleaseBlocks(Sequence& sequence);

  const EngineOptions options_;
  BlockManager& blocks_;
  ModelRunner& runner_;
  std::vector<Sequence*> waiting_;
  std::vector<Sequence*> running_;
  std::vector<Sequence*> started_;  // by the last Admit
  std::vector<Sequence*> readers_;  // scratch of SchedulePrompts
  std::vector<Chunk> batch_;
  uint64_t num_preemptions_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_SCHEDULER_H_
