#include "model/kv_cache.h"

#include "base/check.h"

namespace ocelli {

KvLayout::KvLayout(const TextConfig& config)
    : attention{config.num_attention_heads, config.num_key_value_heads, config.head_dim},
      num_layers(config.num_hidden_layers) {}

KvPool::KvPool(const KvLayout& layout, size_t num_blocks)
    : layout_(layout),
      num_blocks_(num_blocks),
      arena_(num_blocks * layout.BlockBytes()),
      taken_(num_blocks) {
  free_.reserve(num_blocks);
  for (size_t block = num_blocks; block-- > 0;) free_.push_back(static_cast<KvBlockId>(block));
}

std::optional<KvBlockId> KvPool::Take() {
  if (free_.empty()) return std::nullopt;
  const KvBlockId block = free_.back();
  free_.pop_back();
  taken_[block] = true;
  return block;
}

void KvPool::GiveBack(KvBlockId block) {
  OCELLI_CHECK(block < num_blocks_ && taken_[block], "block {} of {} is not taken", block,
               num_blocks_);
  taken_[block] = false;
  free_.push_back(block);
}

float* KvPool::Data(KvBlockId block) {
  OCELLI_CHECK(block < num_blocks_, "block {} of {}", block, num_blocks_);
  return reinterpret_cast<float*>(arena_.data() + block * layout_.BlockBytes());
}

void BlockTable::Append(KvPool& pool, KvBlockId block) {
  ids_.push_back(block);
  blocks_.push_back(pool.Data(block));
}

KvBlockId BlockTable::RemoveLast() {
  OCELLI_CHECK(!ids_.empty(), "no block to remove");
  const KvBlockId block = ids_.back();
  ids_.pop_back();
  blocks_.pop_back();
  return block;
}

bool BlockTable::Grow(KvPool& pool, size_t num_tokens) {
  while (capacity_tokens() < num_tokens) {
    const std::optional<KvBlockId> block = pool.Take();
    if (!block) return false;
    Append(pool, *block);
  }
  return true;
}

void BlockTable::Clear(KvPool& pool) {
  while (!ids_.empty()) pool.GiveBack(RemoveLast());
}

}  // namespace ocelli
