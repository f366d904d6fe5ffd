#ifndef OCELLI_TEXT_BPE_H_
#define OCELLI_TEXT_BPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace ocelli {

// Two neighbouring tokens and what they become.
struct BpeMerge {
  TokenId left = 0;
  TokenId right = 0;
  TokenId result = 0;
};

// The working memory of BpeMerger::Encode, kept between calls, and how much work they did.
struct BpeScratch {
  struct Symbol {
    TokenId id;
    uint32_t previous;  // index of the live symbol to the left, or kNoIndex
    uint32_t next;      // index of the live symbol to the right, or kNoIndex
    uint32_t rank;      // of the merge with `next`, or BpeMerger::kNoMerge
  };
  std::vector<Symbol> symbols;
  std::vector<uint64_t> heap;  // rank << 32 | index of the left symbol: lowest rank, then leftmost
  size_t num_heap_pushes = 0;
  size_t num_merges = 0;
};

// Byte-pair encoding: starts from bytes and always applies the merge of lowest rank, leftmost
// first, until none applies. Symbols are a linked list and candidates a heap, so n bytes take at
// most 3n heap entries and n log n time.
//
// **Threads**: immutable; each caller brings its own scratch.
// **Ref**: tokenizers (Rust) `models/bpe/word.rs`, `Word::merge_all`.
class BpeMerger {
 public:
  static constexpr uint32_t kNoMerge = UINT32_MAX;
  static constexpr uint32_t kNoIndex = UINT32_MAX;
  static constexpr size_t kMaxPieceBytes = size_t{1} << 24;

  // `merges` are in the order of their rank; no pair appears twice.
  BpeMerger(const std::array<TokenId, 256>& byte_tokens, std::span<const BpeMerge> merges);

  // Appends the tokens of `bytes` (at most kMaxPieceBytes) to `out`.
  void Encode(std::string_view bytes, BpeScratch& scratch, std::vector<TokenId>& out) const;

 private:
  struct Slot {
    TokenId left = 0;
    TokenId right = 0;
    uint32_t rank = kNoMerge;  // kNoMerge in a free slot
  };

  size_t FirstSlot(TokenId left, TokenId right) const;
  uint32_t FindRank(TokenId left, TokenId right) const;
  void Start(std::string_view bytes, BpeScratch& scratch) const;
  void Merge(uint32_t index, BpeScratch& scratch) const;
  void PushMergeAt(uint32_t index, BpeScratch& scratch) const;

  std::array<TokenId, 256> byte_tokens_;
  std::vector<uint32_t> byte_pair_ranks_;  // [256 * 256] the first look at every text, in one cache
  std::vector<TokenId> results_;           // [rank]
  std::vector<Slot> slots_;                // [power of two] open addressing
};

}  // namespace ocelli

#endif  // OCELLI_TEXT_BPE_H_
