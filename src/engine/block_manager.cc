#include "engine/block_manager.h"

#include <algorithm>

#include "base/check.h"

namespace ocelli {

BlockManager::BlockManager(size_t num_blocks, bool reuse_content)
    : reuse_content_(reuse_content), blocks_(num_blocks), index_(num_blocks) {
  for (size_t id = 0; id < num_blocks; ++id) LinkBack(static_cast<KvBlockId>(id));
}

PrefixMatch BlockManager::Match(std::span<const ContentUnit> units,
                                std::span<const BlockKey> keys) const {
  PrefixMatch match;
  BlockKey parent;
  while (units.size() >= kKvBlockTokens) {
    const BlockKey& key = keys[match.blocks.size()];
    const auto block = index_.FindFull(key, units.first(kKvBlockTokens));
    if (!block) break;
    match.blocks.push_back(*block);
    units = units.subspan(kKvBlockTokens);
    parent = key;
  }
  const auto tail = index_.FindPartial(parent, units.first(std::min(units.size(), kKvBlockTokens)));
  if (tail) {
    match.tail = tail->id;
    match.tail_tokens = tail->num_units;
    match.tail_is_all = tail->is_all;
  }
  return match;
}

KvBlockId BlockManager::Allocate() {
  OCELLI_CHECK(front_ != kNone, "no idle block among {}", blocks_.size());
  const KvBlockId id = front_;
  Unlink(id);
  index_.Erase(id);
  blocks_[id].ref_count = 1;
  return id;
}

void BlockManager::Share(KvBlockId id) {
  if (blocks_[id].ref_count == 0) Unlink(id);
  ++blocks_[id].ref_count;
}

void BlockManager::Release(KvBlockId id) {
  OCELLI_CHECK(blocks_[id].ref_count > 0, "block {} is released twice", id);
  if (--blocks_[id].ref_count > 0) return;
  if (index_.Contains(id)) {
    LinkBack(id);
  } else {
    LinkFront(id);
  }
}

KvBlockId BlockManager::SetContent(KvBlockId id, const BlockKey& parent,
                                   std::span<const ContentUnit> units, const BlockKey& key) {
  if (!reuse_content_) return id;
  if (units.size() == kKvBlockTokens) {
    const auto same = index_.FindFull(key, units);
    if (same && *same != id) {
      Share(*same);
      index_.Erase(id);
      Release(id);
      return *same;
    }
  }
  index_.Set(id, parent, units, key);
  return id;
}

void BlockManager::LinkFront(KvBlockId id) {
  Block& block = blocks_[id];
  block.previous = kNone;
  block.next = front_;
  (front_ == kNone ? back_ : blocks_[front_].previous) = id;
  front_ = id;
  ++num_idle_;
  if (index_.Contains(id)) ++num_cached_;
}

void BlockManager::LinkBack(KvBlockId id) {
  Block& block = blocks_[id];
  block.previous = back_;
  block.next = kNone;
  (back_ == kNone ? front_ : blocks_[back_].next) = id;
  back_ = id;
  ++num_idle_;
  if (index_.Contains(id)) ++num_cached_;
}

void BlockManager::Unlink(KvBlockId id) {
  const Block& block = blocks_[id];
  (block.previous == kNone ? front_ : blocks_[block.previous].next) = block.next;
  (block.next == kNone ? back_ : blocks_[block.next].previous) = block.previous;
  --num_idle_;
  if (index_.Contains(id)) --num_cached_;
}

void BlockManager::CheckInvariants() const {
  size_t idle = 0;
  size_t cached = 0;
  KvBlockId previous = kNone;
  for (KvBlockId id = front_; id != kNone; id = blocks_[id].next) {
    OCELLI_CHECK(blocks_[id].ref_count == 0, "idle block {} has references", id);
    OCELLI_CHECK(blocks_[id].previous == previous, "the idle list is broken at block {}", id);
    ++idle;
    if (index_.Contains(id)) ++cached;
    previous = id;
  }
  OCELLI_CHECK(previous == back_, "the idle list does not end at its back");
  OCELLI_CHECK(idle == num_idle_ && cached == num_cached_, "{} idle of {}, {} cached of {}", idle,
               num_idle_, cached, num_cached_);
  const auto in_use = std::count_if(blocks_.begin(), blocks_.end(),
                                    [](const Block& block) { return block.ref_count > 0; });
  OCELLI_CHECK(idle + static_cast<size_t>(in_use) == blocks_.size(), "{} idle and {} used of {}",
               idle, in_use, blocks_.size());
}

}  // namespace ocelli
