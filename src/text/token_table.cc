#include "text/token_table.h"

#include <xxhash.h>

#include <bit>

namespace ocelli {
namespace {

uint64_t Hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint32_t HashBits(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

}  // namespace

TokenTable::TokenTable(std::span<const std::string> tokens, size_t capacity)
    : tokens_(tokens), slots_(std::bit_ceil(capacity + capacity / 2 + 1)) {}

size_t TokenTable::FindSlot(std::string_view bytes, uint64_t hash) const {
  size_t i = hash & (slots_.size() - 1);
  for (; slots_[i].id != kNoToken; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].hash_bits != HashBits(hash)) continue;
    if (tokens_[static_cast<size_t>(slots_[i].id)] == bytes) break;
  }
  return i;
}

bool TokenTable::Insert(TokenId id) {
  const std::string& bytes = tokens_[static_cast<size_t>(id)];
  const uint64_t hash = Hash(bytes);
  Slot& slot = slots_[FindSlot(bytes, hash)];
  if (slot.id != kNoToken) return false;
  slot = {HashBits(hash), id};
  return true;
}

TokenId TokenTable::Find(std::string_view bytes) const {
  return slots_[FindSlot(bytes, Hash(bytes))].id;
}

}  // namespace ocelli
