#include "model/kv_cache.h"

#include "base/check.h"

namespace ocelli {

KvLayout::KvLayout(const TextConfig& config, KvType type)
    : attention{config.num_attention_heads, config.num_key_value_heads, config.head_dim, type},
      num_layers(config.num_hidden_layers) {}

KvArena::KvArena(const KvLayout& layout, size_t num_blocks)
    : layout_(layout), num_blocks_(num_blocks), memory_(num_blocks * layout.BlockBytes()) {}

std::byte* KvArena::Data(KvBlockId block) {
  OCELLI_CHECK(block < num_blocks_, "block {} of {}", block, num_blocks_);
  return memory_.data() + block * layout_.BlockBytes();
}

}  // namespace ocelli
