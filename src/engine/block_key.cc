#include "engine/block_key.h"

#include <sys/random.h>
#include <xxhash.h>

#include <array>
#include <type_traits>

#include "base/check.h"

namespace ocelli {
namespace {

// Keys are bytes in memory order, so the structs must have no padding.
static_assert(std::has_unique_object_representations_v<ContentUnit>);
static_assert(std::has_unique_object_representations_v<BlockKey>);

using Secret = std::array<unsigned char, XXH3_SECRET_SIZE_MIN>;

const Secret& ProcessSecret() {
  static const Secret secret = [] {
    Secret bytes{};
    // Up to 256 bytes always come whole once the kernel's generator is ready, which it is by now.
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    OCELLI_CHECK(got == static_cast<ssize_t>(bytes.size()), "getrandom gave {}", got);
    return bytes;
  }();
  return secret;
}

BlockKey Hash(const void* bytes, size_t size_bytes) {
  const Secret& secret = ProcessSecret();
  const XXH128_hash_t hash =
      XXH3_128bits_withSecret(bytes, size_bytes, secret.data(), secret.size());
  return {hash.high64, hash.low64};
}

}  // namespace

BlockKey ChainKey(const BlockKey& parent, std::span<const ContentUnit> units) {
  const BlockKey own = Hash(units.data(), units.size_bytes());
  const std::array<BlockKey, 2> chain = {parent, own};
  return Hash(chain.data(), sizeof(chain));
}

}  // namespace ocelli
