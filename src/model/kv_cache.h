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
  static size_t BlocksFor(size_t num_tokens) { return DivideUp(num_tokens, kKvBlockTokens); }
};

// What the decoder sees of a sequence's keys and values: its blocks in token order. Blocks that are
// full may be shared between sequences; who owns them is the engine's business.
using KvView = std::span<float* const>;

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

  // Returns the first float of `block` (< num_blocks()), laid out as KvLayout says.
  // **Threads**: any.
  float* Data(KvBlockId block);

 private:
  KvLayout layout_;
  size_t num_blocks_;
  AlignedBuffer memory_;
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_KV_CACHE_H_
