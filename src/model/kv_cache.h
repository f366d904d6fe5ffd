#ifndef OCELLI_MODEL_KV_CACHE_H_
#define OCELLI_MODEL_KV_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "checkpoint/model_config.h"
#include "kernels/attention.h"

namespace ocelli {

// How one KvBlock holds the keys and values of kKvBlockTokens consecutive tokens of a sequence:
//
//   layer 0: KvBlockFloats | layer 1: KvBlockFloats | ...        (see kernels/attention.h)
struct KvLayout {
  AttentionShape attention;
  size_t num_layers = 0;

  KvLayout() = default;
  explicit KvLayout(const TextConfig& config);

  // Returns the floats of one layer of a block: layer l begins at l * LayerFloats().
  size_t LayerFloats() const { return KvBlockFloats(attention); }
  size_t BlockBytes() const { return num_layers * LayerFloats() * sizeof(float); }
  // Returns the blocks that hold `num_tokens` tokens.
  static size_t BlocksFor(size_t num_tokens) {
    return (num_tokens + kKvBlockTokens - 1) / kKvBlockTokens;
  }
};

// What the decoder sees of a sequence's keys and values: its blocks in token order. Blocks that are
// full may be shared between sequences; who owns them is the engine's business.
using KvView = std::span<float* const>;

// Names one block of a KvPool.
using KvBlockId = uint32_t;

// A fixed arena of KV blocks. Blocks that were never taken have cost no memory yet. It keeps no
// policy: who holds a block, for how long, and who else may read it is decided above.
// **Threads**: one at a time.
class KvPool {
 public:
  KvPool(const KvLayout& layout, size_t num_blocks);

  const KvLayout& layout() const { return layout_; }
  size_t num_blocks() const { return num_blocks_; }
  size_t num_free() const { return free_.size(); }
  size_t size_bytes() const { return arena_.size_bytes(); }

  // Returns a block that nobody holds, the one freed last; nothing when all are taken. What it
  // contains is undefined.
  std::optional<KvBlockId> Take();
  // Takes back a block that Take returned.
  void GiveBack(KvBlockId block);
  // Returns the first float of `block`, in every layer's layout.
  float* Data(KvBlockId block);

 private:
  KvLayout layout_;
  size_t num_blocks_;
  AlignedBuffer arena_;
  std::vector<KvBlockId> free_;  // a stack
  std::vector<bool> taken_;      // [num_blocks]
};

// The blocks of one sequence in token order: names for the owner, addresses for the decoder.
class BlockTable {
 public:
  // Appends `block` of `pool`.
  void Append(KvPool& pool, KvBlockId block);
  // Removes the last block and returns its name.
  KvBlockId RemoveLast();

  // Takes blocks from `pool` until `num_tokens` tokens have a place. Returns false, and keeps what
  // it got, when the pool runs out.
  bool Grow(KvPool& pool, size_t num_tokens);
  // Gives every block back to `pool`.
  void Clear(KvPool& pool);

  size_t capacity_tokens() const { return ids_.size() * kKvBlockTokens; }
  std::span<const KvBlockId> ids() const { return ids_; }
  KvView view() const { return blocks_; }

 private:
  std::vector<KvBlockId> ids_;
  std::vector<float*> blocks_;
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_KV_CACHE_H_
