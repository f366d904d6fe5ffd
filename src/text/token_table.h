#ifndef OCELLI_TEXT_TOKEN_TABLE_H_
#define OCELLI_TEXT_TOKEN_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace ocelli {

// Finds the token that has given bytes: open addressing over (hash, id), so that a miss costs one
// cache line. The strings stay with their owner and must not move.
class TokenTable {
 public:
  static constexpr TokenId kNoToken = -1;

  // An empty table for up to `capacity` of the `tokens`, where the index is the id.
  TokenTable(std::span<const std::string> tokens, size_t capacity);

  // Adds token `id`. Returns false, and changes nothing, when a token has the same bytes.
  bool Insert(TokenId id);

  // Returns the token whose bytes are `bytes`, or kNoToken.
  TokenId Find(std::string_view bytes) const;

 private:
  struct Slot {
    uint32_t hash_bits = 0;
    TokenId id = kNoToken;
  };

  // Returns the slot that holds `bytes` or, free, where it would go.
  size_t FindSlot(std::string_view bytes, uint64_t hash) const;

  std::span<const std::string> tokens_;
  std::vector<Slot> slots_;  // [power of two]
};

}  // namespace ocelli

#endif  // OCELLI_TEXT_TOKEN_TABLE_H_
