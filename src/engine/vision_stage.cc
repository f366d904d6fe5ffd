#include "engine/vision_stage.h"

#include <algorithm>
#include <utility>

namespace ocelli {

size_t VisionStage::Hand(std::span<Sequence* const> sequences) {
  size_t num_given = 0;
  for (Sequence* sequence : sequences) {
    if (!sequence->AtPicture()) continue;
    sequence->picture = cache_.Find(sequence->NextPicture()->patches->key);
    if (sequence->picture) ++num_given;
  }
  return num_given;
}

std::optional<VisionStage::Progress> VisionStage::Step(std::span<Sequence* const> running,
                                                       std::span<Sequence* const> waiting) {
  if (job_ && !IsWanted(running) && !IsWanted(waiting)) {
    job_.reset();
    patches_.reset();
  }
  if (!job_) StartNext(running);
  if (!job_) return std::nullopt;
  return Advance();
}

bool VisionStage::IsWanted(std::span<Sequence* const> sequences) const {
  return std::any_of(sequences.begin(), sequences.end(), [this](const Sequence* sequence) {
    const auto& runs = sequence->prompt().runs;
    return std::any_of(runs.begin(), runs.end(), [&](const PictureRun& run) {
      return run.end > sequence->num_computed && run.patches->key == patches_->key;
    });
  });
}

void VisionStage::StartNext(std::span<Sequence* const> running) {
  const auto first = std::find_if(running.begin(), running.end(),
                                  [](const Sequence* sequence) { return sequence->AtPicture(); });
  if (first == running.end()) return;
  const auto& patches = (*first)->NextPicture()->patches;
  // Pictures that are being read now leave room when they are read.
  if (!cache_.MakeRoom(BytesOf(*patches))) return;
  patches_ = patches;
  job_ = runner_.StartEncode(patches);
  done_steps_ = 0;
}

VisionStage::Progress VisionStage::Advance() {
  const bool finished = job_->Step();
  const Progress progress{patches_->key, ++done_steps_, finished};
  if (finished) {
    cache_.Insert(patches_->key, job_->Take(), BytesOf(*patches_));
    job_.reset();
    patches_.reset();
  }
  return progress;
}

uint64_t VisionStage::BytesOf(const Patches& patches) const {
  return patches.image_tokens * runner_.traits().image_token_bytes;
}

}  // namespace ocelli
