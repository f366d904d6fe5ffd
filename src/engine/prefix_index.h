#ifndef OCELLI_ENGINE_PREFIX_INDEX_H_
#define OCELLI_ENGINE_PREFIX_INDEX_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/block_key.h"
#include "engine/model_runner.h"
#include "kernels/attention.h"

namespace ocelli {

// Finds KV blocks by what is in them. It knows nothing of who uses them.
class PrefixIndex {
 public:
  explicit PrefixIndex(size_t num_blocks) : entries_(num_blocks) {}

  // Records the computed units of block `id`; `key` counts once there are kKvBlockTokens of them.
  // The units of one block only ever grow until it is erased.
  void Set(KvBlockId id, const BlockKey& parent, std::span<const ContentUnit> units,
           const BlockKey& key);
  // Forgets a block; unknown blocks are ignored.
  void Erase(KvBlockId id);
  bool Contains(KvBlockId id) const { return entries_[id].num_units > 0; }

  // Returns the block that is full of `units` after its chain. The units are compared too.
  std::optional<KvBlockId> FindFull(const BlockKey& key, std::span<const ContentUnit> units) const;

  struct Partial {
    KvBlockId id = 0;
    size_t num_units = 0;
    bool is_all = false;  // the block holds no more
  };
  // Returns the block after `parent` that shares the longest start with `units`.
  std::optional<Partial> FindPartial(const BlockKey& parent,
                                     std::span<const ContentUnit> units) const;

  size_t num_full() const { return full_.size(); }
  size_t num_children() const { return children_.size(); }

 private:
  struct Entry {
    BlockKey parent;
    BlockKey key;  // when full
    size_t num_units = 0;
    bool listed_full = false;
    std::array<ContentUnit, kKvBlockTokens> units;
  };
  void ListAsChild(KvBlockId id);
  void UnlistAsChild(KvBlockId id);

  std::vector<Entry> entries_;
  std::unordered_map<BlockKey, KvBlockId, BlockKeyHash> full_;
  std::unordered_multimap<BlockKey, KvBlockId, BlockKeyHash> children_;  // by parent
};

}  // namespace ocelli

#endif  // OCELLI_ENGINE_PREFIX_INDEX_H_
