#ifndef OCELLI_MODEL_KV_CACHE_H_
#define OCELLI_MODEL_KV_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "base/rounding.h"
#include "checkpoint/model_config.h"
#include "kernels/attention.h"

namespace ocelli {

// How one KvBlock holds the keys and values of kKvBlockTokens consecutive tokens of a sequence:
//
//   layer 0: LayerBytes() | layer 1: LayerBytes() | ...        (see kernels/kv_block.h)
struct KvLayout {
  AttentionShape attention;
  size_t num_layers = 0;

  KvLayout() = default;
  explicit KvLayout(const TextConfig& config, KvType type = KvType::kFloat32);

  // Returns the memory of one layer of a block: layer l begins at l * LayerBytes().
  size_t LayerBytes() const { return KvBlockBytes(attention); }
  size_t BlockBytes() const { return num_layers * LayerBytes(); }
  // Returns the blocks that hold `num_tokens` tokens.
  static size_t BlocksFor(size_t num_tokens) { return DivideUp(num_tokens, kKvBlockTokens); }
};

// What the decoder sees of a sequence's keys and values: its blocks in token order. Blocks that are
// full may be shared between sequences; who owns them is the engine's business.
using KvView = std::span<std::byte* const>;

// Names one block of a KvArena.
using KvBlockId = uint32_t;

// The memory of all KV blocks. A block that was never written has cost none yet; who uses a block,
// for how long, and who else may read it is decided above.
class KvArena {
 public:
  // **Errors**: ends the process when memory is exhausted; budget before you ask.
  KvArena(const KvLayout& layout, size_t num_blocks);

  const KvLayout& layout() const { return layout_; }
  size_t num_blocks() const { return num_blocks_; }

  // Returns where `block` (< num_blocks()) begins, laid out as KvLayout says. **Threads**: any.
  std::byte* Data(KvBlockId block);

 private:
  KvLayout layout_;
  size_t num_blocks_;
  AlignedBuffer memory_;
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_KV_CACHE_H_
