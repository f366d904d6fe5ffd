#ifndef OCELLI_ENGINE_VISION_STAGE_H_
#define OCELLI_ENGINE_VISION_STAGE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "engine/model_runner.h"
#include "engine/sequence.h"
#include "engine/vision_cache.h"

namespace ocelli {

// Encodes the pictures that sequences have come to, one at a time, step by step, each once however
// many sequences want it. **Threads**: the engine thread.
class VisionStage {
 public:
  // `runner` must outlive this.
  VisionStage(ModelRunner& runner, uint64_t budget_bytes) : runner_(runner), cache_(budget_bytes) {}

  // Gives each of `sequences` that stands at a picture that picture, if it is in the cache. Returns
  // how many it gave. A sequence drops its picture itself.
  size_t Hand(std::span<Sequence* const> sequences);

  // What Step did.
  struct Progress {
    PictureKey key;
    size_t done_steps = 0;
    bool finished = false;
  };
  // Does one step of the picture in work, or of the next one that the first of `running` stands at;
  // `waiting` sequences keep a picture in work too. Returns nothing when there is nothing to do.
  std::optional<Progress> Step(std::span<Sequence* const> running,
                               std::span<Sequence* const> waiting);

  const VisionCache& cache() const { return cache_; }
  bool busy() const { return job_ != nullptr; }

 private:
  bool IsWanted(std::span<Sequence* const> sequences) const;
  void StartNext(std::span<Sequence* const> running);
  Progress Advance();
  uint64_t BytesOf(const Patches& patches) const;

  ModelRunner& runner_;
  VisionCache cache_;
  std::shared_ptr<const Patches> patches_;  // in work
  std::unique_ptr<EncodeJob> job_;
  size_t done_steps_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_VISION_STAGE_H_
