#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/check.h"

namespace ocelli {

BpeMerger::BpeMerger(const std::array<TokenId, 256>& byte_tokens, std::span<const BpeMerge> merges)
    : byte_tokens_(byte_tokens),
      byte_pair_ranks_(256 * 256),
      slots_(std::bit_ceil(merges.size() + merges.size() / 2 + 1)) {
  results_.reserve(merges.size());
  for (const BpeMerge& merge : merges) {
    size_t i = FirstSlot(merge.left, merge.right);
    while (slots_[i].rank != kNoMerge) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = {merge.left, merge.right, static_cast<uint32_t>(results_.size())};
    results_.push_back(merge.result);
  }
  for (size_t pair = 0; pair < byte_pair_ranks_.size(); ++pair) {
    byte_pair_ranks_[pair] = FindRank(byte_tokens[pair >> 8], byte_tokens[pair & 0xFF]);
  }
}

size_t BpeMerger::FirstSlot(TokenId left, TokenId right) const {
  const uint64_t pair = uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  // Fibonacci hashing: the high bits of the product depend on every bit of the pair.
  const uint64_t mixed = (pair ^ pair >> 29) * 0x9E3779B97F4A7C15u;
  return (mixed >> 32) & (slots_.size() - 1);
}

uint32_t BpeMerger::FindRank(TokenId left, TokenId right) const {
  size_t i = FirstSlot(left, right);
  while (slots_[i].rank != kNoMerge && (slots_[i].left != left || slots_[i].right != right)) {
    i = (i + 1) & (slots_.size() - 1);
  }
  return slots_[i].rank;
}

// Makes one symbol of each byte and the heap of all merges that apply to neighbours.
void BpeMerger::Start(std::string_view bytes, BpeScratch& scratch) const {
  const auto size = static_cast<uint32_t>(bytes.size());
  scratch.symbols.resize(size);
  scratch.heap.clear();
  for (uint32_t i = 0; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const bool is_last = i + 1 == size;
    const uint32_t rank =
        is_last ? kNoMerge
                : byte_pair_ranks_[size_t{byte} << 8 | static_cast<uint8_t>(bytes[i + 1])];
    scratch.symbols[i] = {byte_tokens_[byte], i == 0 ? kNoIndex : i - 1, is_last ? kNoIndex : i + 1,
                          rank};
    if (rank != kNoMerge) scratch.heap.push_back(uint64_t{rank} << 32 | i);
  }
  scratch.num_heap_pushes += scratch.heap.size();
  std::make_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
}

// Looks up the merge of the symbol at `index` with its next one and pushes it, if there is one.
void BpeMerger::PushMergeAt(uint32_t index, BpeScratch& scratch) const {
  BpeScratch::Symbol& symbol = scratch.symbols[index];
  symbol.rank =
      symbol.next == kNoIndex ? kNoMerge : FindRank(symbol.id, scratch.symbols[symbol.next].id);
  if (symbol.rank == kNoMerge) return;
  scratch.heap.push_back(uint64_t{symbol.rank} << 32 | index);
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
  ++scratch.num_heap_pushes;
}

// Merges the symbol at `index` with its next one, which dies.
void BpeMerger::Merge(uint32_t index, BpeScratch& scratch) const {
  BpeScratch::Symbol& left = scratch.symbols[index];
  BpeScratch::Symbol& right = scratch.symbols[left.next];
  left.id = results_[left.rank];
  left.next = right.next;
  right.rank = kNoMerge;
  if (left.next != kNoIndex) scratch.symbols[left.next].previous = index;
  PushMergeAt(index, scratch);
  if (left.previous != kNoIndex) PushMergeAt(left.previous, scratch);
  ++scratch.num_merges;
}

void BpeMerger::Encode(std::string_view bytes, BpeScratch& scratch,
                       std::vector<TokenId>& out) const {
  OCELLI_CHECK(bytes.size() <= kMaxPieceBytes, "piece of {} bytes", bytes.size());
  if (bytes.empty()) return;
  Start(bytes, scratch);
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end(), std::greater<>());
    const uint64_t best = scratch.heap.back();
    scratch.heap.pop_back();
    const auto index = static_cast<uint32_t>(best);
    // An entry whose pair has changed since it was pushed no longer carries the symbol's rank.
    if (scratch.symbols[index].rank == best >> 32) Merge(index, scratch);
  }
  for (uint32_t i = 0; i != kNoIndex; i = scratch.symbols[i].next) {
    out.push_back(scratch.symbols[i].id);
  }
}

}  // namespace ocelli
