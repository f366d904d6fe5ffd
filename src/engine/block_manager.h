#ifndef OCELLI_ENGINE_BLOCK_MANAGER_H_
#define OCELLI_ENGINE_BLOCK_MANAGER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/block_key.h"
#include "engine/model_runner.h"
#include "engine/prefix_index.h"
#include "kernels/attention.h"

namespace ocelli {

// What of a prompt is already in KV blocks. The blocks are not referenced yet.
struct PrefixMatch {
  std::vector<KvBlockId> blocks;  // whole blocks, to share
  std::optional<KvBlockId> tail;  // a block of which the first tail_tokens match
  size_t tail_tokens = 0;
  bool tail_is_all = false;  // the tail holds no more than those: it may grow in place

  size_t num_tokens() const { return blocks.size() * kKvBlockTokens + tail_tokens; }
};

// Who uses which KV block, and what is in it.
//
//   Allocate          Release, nothing inside        Release, content known
//   +------+  ----->  +--------+  ------------->  front +------------------------+ back
//   | idle |          | in use |                        | idle, least recent first |
//   +------+  <-----  +--------+  <-------------        +------------------------+
//    front, taken first            Share (a prefix match)
//
// A block that nobody uses keeps its content until its memory is needed, oldest first.
// **Threads**: the engine thread.
class BlockManager {
 public:
  // `reuse_content` false: nothing is ever matched.
  BlockManager(size_t num_blocks, bool reuse_content);

  size_t num_blocks() const { return blocks_.size(); }
  // Blocks that Allocate can still give.
  size_t num_available() const { return num_idle_; }
  // Of those, blocks whose content can be matched.
  size_t num_cached() const { return num_cached_; }
  uint32_t ref_count(KvBlockId id) const { return blocks_[id].ref_count; }

  // Finds the longest run of blocks that hold the start of `units`.
  // **Shapes**: keys[i] is the chain key of whole block i of `units`.
  PrefixMatch Match(std::span<const ContentUnit> units, std::span<const BlockKey> keys) const;

  // Gives a block with one reference and no content; num_available() must not be 0.
  KvBlockId Allocate();
  // Adds a reference.
  void Share(KvBlockId id);
  // Takes a reference away. Release a sequence's blocks last to first, so that what is given up
  // first is the end of a chain.
  void Release(KvBlockId id);

  // Makes sure that nobody matches block `id` from now on; it must be in use.
  void Forget(KvBlockId id) { index_.Erase(id); }

  // Records that the first `units.size()` tokens of block `id`, which follows the block called
  // `parent`, are computed; they are kept unchanged as long as anyone may match them.
  // `key` names the block once it is full. Returns the block that the sequence must use from now
  // on: another one with one more reference (and `id` with one less) when that one was full of the
  // same before.
  KvBlockId SetContent(KvBlockId id, const BlockKey& parent, std::span<const ContentUnit> units,
                       const BlockKey& key);

  // Verifies lists and counts against each other; ends the process when they disagree.
  void CheckInvariants() const;

 private:
  static constexpr KvBlockId kNone = ~KvBlockId{0};
  struct Block {
    uint32_t ref_count = 0;
    KvBlockId previous = kNone;  // in the idle list
    KvBlockId next = kNone;
  };
  void LinkFront(KvBlockId id);
  void LinkBack(KvBlockId id);
  void Unlink(KvBlockId id);

  bool reuse_content_;
  std::vector<Block> blocks_;
  PrefixIndex index_;
  KvBlockId front_ = kNone;
  KvBlockId back_ = kNone;
  size_t num_idle_ = 0;
  size_t num_cached_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_BLOCK_MANAGER_H_
