#include "engine/prefix_index.h"

#include <algorithm>

#include "base/check.h"

namespace ocelli {
namespace {

size_t CommonStart(std::span<const ContentUnit> a, std::span<const ContentUnit> b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(ends.first - a.begin());
}

}  // namespace

void PrefixIndex::Set(KvBlockId id, const BlockKey& parent, std::span<const ContentUnit> units,
                      const BlockKey& key) {
  Entry& entry = entries_[id];
  OCELLI_CHECK(units.size() <= kKvBlockTokens && units.size() >= entry.num_units,
               "block {} has {} units, then {}", id, entry.num_units, units.size());
  if (entry.num_units == 0 && !units.empty()) {
    entry.parent = parent;
    ListAsChild(id);
  }
  const size_t old_units = entry.num_units;
  std::copy(units.begin() + static_cast<ptrdiff_t>(old_units), units.end(),
            entry.units.begin() + static_cast<ptrdiff_t>(old_units));
  entry.num_units = units.size();
  if (entry.num_units == kKvBlockTokens && !entry.listed_full) {
    entry.key = key;
    entry.listed_full = full_.emplace(key, id).second;
  }
}

void PrefixIndex::Erase(KvBlockId id) {
  Entry& entry = entries_[id];
  if (entry.num_units == 0) return;
  if (entry.listed_full) full_.erase(entry.key);
  UnlistAsChild(id);
  entry.num_units = 0;
  entry.listed_full = false;
}

std::optional<KvBlockId> PrefixIndex::FindFull(const BlockKey& key,
                                               std::span<const ContentUnit> units) const {
  const auto found = full_.find(key);
  if (found == full_.end()) return std::nullopt;
  const Entry& entry = entries_[found->second];
  if (!std::equal(units.begin(), units.end(), entry.units.begin(), entry.units.end())) {
    return std::nullopt;
  }
  return found->second;
}

std::optional<PrefixIndex::Partial> PrefixIndex::FindPartial(
    const BlockKey& parent, std::span<const ContentUnit> units) const {
  Partial best;
  const auto [begin, end] = children_.equal_range(parent);
  for (auto child = begin; child != end; ++child) {
    const Entry& entry = entries_[child->second];
    const size_t common = CommonStart(units, std::span(entry.units).first(entry.num_units));
    if (common > best.num_units) best = {child->second, common, common == entry.num_units};
  }
  if (best.num_units == 0) return std::nullopt;
  return best;
}

void PrefixIndex::ListAsChild(KvBlockId id) { children_.emplace(entries_[id].parent, id); }

void PrefixIndex::UnlistAsChild(KvBlockId id) {
  const auto [begin, end] = children_.equal_range(entries_[id].parent);
  const auto found =
      std::find_if(begin, end, [id](const auto& child) { return child.second == id; });
  OCELLI_CHECK(found != end, "block {} is not listed under its parent", id);
  children_.erase(found);
}

}  // namespace ocelli
