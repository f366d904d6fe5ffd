#include "engine/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocelli {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr size_t kLeastContextTokens = 1024;
constexpr uint64_t kMostPictures = 8;

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t KvBytesFor(size_t num_tokens, const ModelMemory& memory) {
  return KvLayout::BlocksFor(num_tokens) * memory.kv_block_bytes;
}

}  // namespace

Status ShareMemory(uint64_t usable_bytes, const ModelMemory& memory, size_t max_context_tokens,
                   EngineOptions& options) {
  const uint64_t spare = std::max(usable_bytes / 16, 64 * kMiB);
  const uint64_t rest = Minus(usable_bytes, memory.FixedBytes() + spare);
  const uint64_t picture = options.max_image_tokens * memory.feature_bytes_per_token;
  if (options.vision_cache_bytes == 0) {
    options.vision_cache_bytes = std::clamp(rest / 5, picture, kMostPictures * picture);
  }
  if (options.kv_memory_bytes == 0) {
    options.kv_memory_bytes =
        std::min(Minus(rest, options.vision_cache_bytes),
                 options.max_sequences * KvBytesFor(max_context_tokens, memory));
  }
  const uint64_t least_kv = KvBytesFor(std::min(max_context_tokens, kLeastContextTokens), memory);
  const uint64_t kv = std::max(options.kv_memory_bytes, least_kv);
  const uint64_t needed = memory.FixedBytes() + spare + options.vision_cache_bytes + kv;
  if (needed <= usable_bytes) return {};
  return Error{ErrorCode::kResourceExhausted,
               fmt::format("the model needs {} MiB and {} MiB can be had: free memory, raise the "
                           "limit, or allow smaller pictures and shorter contexts",
                           needed / kMiB, usable_bytes / kMiB),
               "memory"};
}

}  // namespace ocelli
