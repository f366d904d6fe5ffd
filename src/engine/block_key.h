#ifndef OCELLI_ENGINE_BLOCK_KEY_H_
#define OCELLI_ENGINE_BLOCK_KEY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "picture/picture_key.h"
#include "text/tokenizer.h"

namespace ocelli {

// What stands at one position of a prompt, as far as its keys and values are concerned: a token, or
// one image token of a picture.
struct ContentUnit {
  PictureKey picture;  // zero for a token
  uint64_t value = 0;  // token id, or offset inside the picture

  static ContentUnit Token(TokenId id) { return {{}, static_cast<uint64_t>(id)}; }
  static ContentUnit Image(const PictureKey& key, size_t offset) { return {key, offset}; }
  bool operator==(const ContentUnit&) const = default;
};

// 128 bits that stand for everything a KV block depends on: its own units and all those before it.
// Salted at random once per process, like PictureKey.
struct BlockKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool operator==(const BlockKey&) const = default;
};
struct BlockKeyHash {
  size_t operator()(const BlockKey& key) const noexcept { return static_cast<size_t>(key.low); }
};

// Returns the key of a block that holds `units` and follows the block called `parent` (the default
// key: none). **Threads**: any.
BlockKey ChainKey(const BlockKey& parent, std::span<const ContentUnit> units);

}  // namespace ocelli

#endif  // OCELLI_ENGINE_BLOCK_KEY_H_
