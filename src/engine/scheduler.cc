#include "engine/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ocelli {
namespace {

// As long as a pass has no more rows than this, reading the weights sets its pace and a further row
// costs a few percent; then arithmetic does (docs/benchmarks.md).
constexpr size_t kCheapRows = 8;

void InsertByOrder(std::vector<Sequence*>& list, Sequence& sequence) {
  const auto place = std::upper_bound(
      list.begin(), list.end(), &sequence,
      [](const Sequence* a, const Sequence* b) { return a->order() < b->order(); });
  list.insert(place, &sequence);
}

}  // namespace

Scheduler::Scheduler(const EngineOptions& options, BlockManager& blocks, ModelRunner& runner)
    : options_(options), blocks_(blocks), runner_(runner) {
  running_.reserve(options.max_sequences);
  batch_.reserve(options.max_sequences);
  readers_.reserve(options.max_sequences);
}

void Scheduler::Add(Sequence& sequence) { InsertByOrder(waiting_, sequence); }

void Scheduler::Remove(Sequence& sequence) {
  ReleaseBlocks(sequence);
  std::erase(waiting_, &sequence);
  std::erase(running_, &sequence);
}

void Scheduler::RemoveFailed(Sequence& sequence) {
  for (const KvBlockId id : sequence.blocks) blocks_.Forget(id);
  Remove(sequence);
}

std::span<Sequence* const> Scheduler::Admit() {
  started_.clear();
  for (size_t i = 0; i < waiting_.size() && running_.size() < options_.max_sequences;) {
    Sequence& sequence = *waiting_[i];
    // The last token is always computed: its logits are what comes next.
    PrefixMatch match = blocks_.Match(std::span(sequence.units()).first(sequence.num_tokens() - 1),
                                      sequence.WholeKeys());
    if (IsHeldBack(sequence, match)) {
      ++i;
      continue;
    }
    if (!TryStart(sequence, std::move(match))) break;
    waiting_.erase(waiting_.begin() + static_cast<ptrdiff_t>(i));
    InsertByOrder(running_, sequence);
    started_.push_back(&sequence);
  }
  return started_;
}

// Whether an older sequence is about to compute the very block that this one needs next: then this
// one waits for it and shares it.
bool Scheduler::IsHeldBack(Sequence& sequence, const PrefixMatch& match) const {
  if (!options_.prefix_cache) return false;
  const size_t index = match.blocks.size();
  const BlockKey wanted = sequence.KeyOf(index);
  return std::any_of(running_.begin(), running_.end(), [&](Sequence* other) {
    return other->order() < sequence.order() && !other->IsWriting() &&
           other->num_computed < (index + 1) * kKvBlockTokens &&
           index * kKvBlockTokens < other->num_tokens() && other->KeyOf(index) == wanted;
  });
}

bool Scheduler::TryStart(Sequence& sequence, PrefixMatch match) {
  const size_t num_new = KvLayout::BlocksFor(sequence.num_tokens()) - match.blocks.size();
  // Streams that run will each want a block soon; taking their last ones would only preempt us.
  const size_t reserve = running_.size();
  const auto idle = [this](KvBlockId id) { return blocks_.ref_count(id) == 0; };
  const size_t num_idle =
      blocks_.num_available() -
      static_cast<size_t>(std::count_if(match.blocks.begin(), match.blocks.end(), idle));
  if (num_idle < num_new + reserve) return false;
  // A tail that ends where the match does and that nobody uses goes on in place, as the last block
  // of a conversation does in its next turn.
  const bool takes_over = match.tail && match.tail_is_all && idle(*match.tail);
  // An idle tail is held while it is copied; when there is no room for that, it is computed again.
  const bool copies = match.tail && !takes_over && !(idle(*match.tail) && num_idle == num_new);
  TakeWhole(sequence, match);
  if (takes_over || copies) blocks_.Share(*match.tail);
  if (takes_over) TakeOver(sequence, match);
  const bool grown = Grow(sequence, sequence.num_tokens());
  OCELLI_CHECK(grown, "no room for {} new blocks", num_new);
  if (copies) CopyTail(sequence, match);
  return true;
}

void Scheduler::TakeWhole(Sequence& sequence, const PrefixMatch& match) {
  for (const KvBlockId id : match.blocks) blocks_.Share(id);
  sequence.blocks = match.blocks;
  sequence.num_computed = match.blocks.size() * kKvBlockTokens;
}

void Scheduler::TakeOver(Sequence& sequence, const PrefixMatch& match) {
  sequence.blocks.push_back(*match.tail);
  sequence.num_computed += match.tail_tokens;
}

void Scheduler::CopyTail(Sequence& sequence, const PrefixMatch& match) {
  runner_.CopyBlock(*match.tail, sequence.blocks[match.blocks.size()]);
  blocks_.Release(*match.tail);
  Commit(sequence, match.tail_tokens);
}

std::span<const Chunk> Scheduler::NextBatch(const ChunkLimits& limits) {
  batch_.clear();
  const auto num_writing = static_cast<size_t>(
      std::count_if(running_.begin(), running_.end(),
                    [](const Sequence* sequence) { return sequence->IsWriting(); }));
  // Preempting shortens the list at its end, so an index stays right.
  for (size_t i = 0; i < running_.size(); ++i) {
    if (running_[i]->IsWriting()) ScheduleWriting(*running_[i], num_writing);
  }
  SchedulePrompts(batch_.empty() ? limits.alone : limits.shared);
  return batch_;
}

void Scheduler::ScheduleWriting(Sequence& sequence, size_t num_writing) {
  if (!GrowByPreempting(sequence, sequence.num_tokens())) return;
  sequence.Guess(GuessLimit(sequence, num_writing));
  const size_t num_tokens = 1 + sequence.num_guesses();
  const bool grown = Grow(sequence, sequence.num_computed + num_tokens);
  OCELLI_CHECK(grown, "no room for {} guesses", sequence.num_guesses());
  batch_.push_back({&sequence, num_tokens, num_tokens});
}

// Guesses never cost another sequence its memory: beyond the room in the last block they take a
// block only while there is one for everybody. Nor its time: the streams share the cheap rows.
size_t Scheduler::GuessLimit(const Sequence& sequence, size_t num_writing) const {
  const size_t cheap = kCheapRows / num_writing;
  const size_t limit = std::min(options_.max_draft_tokens, cheap > 0 ? cheap - 1 : 0);
  const size_t room = sequence.blocks.size() * kKvBlockTokens - sequence.num_tokens();
  const bool plenty = blocks_.num_available() > running_.size() + options_.max_draft_tokens;
  return plenty ? limit : std::min(room, limit);
}

void Scheduler::SchedulePrompts(size_t budget) {
  readers_.clear();
  for (Sequence* sequence : running_) {
    if (!sequence->IsWriting() && sequence->NumReady() > 0) readers_.push_back(sequence);
  }
  if (readers_.empty()) return;
  const auto shortest = std::min_element(
      readers_.begin(), readers_.end(),
      [](const Sequence* a, const Sequence* b) { return a->num_pending() < b->num_pending(); });
  Sequence& first = **shortest;
  const bool alone = shortest == readers_.begin();
  const size_t share = std::min(alone ? budget : (budget + 1) / 2, first.NumReady());
  AddChunk(first, share);
  readers_.erase(shortest);
  budget -= share;
  for (Sequence* sequence : readers_) {
    if (budget == 0) return;
    const size_t num_tokens = std::min(budget, sequence->NumReady());
    AddChunk(*sequence, num_tokens);
    budget -= num_tokens;
  }
}

void Scheduler::AddChunk(Sequence& sequence, size_t num_tokens) {
  batch_.push_back({&sequence, num_tokens, num_tokens == sequence.num_pending() ? 1u : 0u});
}

bool Scheduler::Grow(Sequence& sequence, size_t num_tokens) {
  while (sequence.blocks.size() < KvLayout::BlocksFor(num_tokens)) {
    if (blocks_.num_available() == 0) return false;
    sequence.blocks.push_back(blocks_.Allocate());
  }
  return true;
}

bool Scheduler::GrowByPreempting(Sequence& sequence, size_t num_tokens) {
  while (!Grow(sequence, num_tokens)) {
    Sequence& newest = *running_.back();
    Preempt(newest);
    if (&newest == &sequence) return false;
  }
  return true;
}

void Scheduler::Commit(Sequence& sequence, size_t num_tokens) {
  if (num_tokens == 0) return;
  const auto keys = sequence.WholeKeys();
  const size_t end = sequence.num_computed + num_tokens;
  for (size_t i = sequence.num_computed / kKvBlockTokens; i < KvLayout::BlocksFor(end); ++i) {
    const auto units = sequence.BlockUnits(i, end);
    const BlockKey key = units.size() == kKvBlockTokens ? keys[i] : BlockKey{};
    sequence.blocks[i] =
        blocks_.SetContent(sequence.blocks[i], i == 0 ? BlockKey{} : keys[i - 1], units, key);
  }
  const PictureRun* run = sequence.NextPicture();
  sequence.num_computed = end;
  if (run != nullptr && run->end <= end) sequence.picture.reset();
}

void Scheduler::Preempt(Sequence& sequence) {
  ReleaseBlocks(sequence);
  std::erase(running_, &sequence);
  InsertByOrder(waiting_, sequence);
  ++num_preemptions_;
}

void Scheduler::ReleaseBlocks(Sequence& sequence) {
  while (!sequence.blocks.empty()) {
    blocks_.Release(sequence.blocks.back());
    sequence.blocks.pop_back();
  }
  sequence.num_computed = 0;
  sequence.picture.reset();
}

}  // namespace ocelli
