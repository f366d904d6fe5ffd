#include "engine/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_size.h"

namespace ocelli {
namespace {

constexpr uint64_t kLeastSpareBytes = uint64_t{64} << 20;
constexpr size_t kLeastContextTokens = 1024;
constexpr uint64_t kMostPictures = 8;

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

uint64_t KvBytesFor(size_t num_tokens, const ModelMemory& memory) {
  return KvLayout::BlocksFor(num_tokens) * memory.kv_block_bytes;
}

// Returns what is left free where the plan may choose.
uint64_t SpareBytes(const MemoryLimits& limits) {
  const bool shared = limits.UsableBytes() >= limits.available_bytes;
  return std::max(limits.UsableBytes() / (shared ? 4 : 16), kLeastSpareBytes);
}

void ChooseSizes(uint64_t rest, const ModelMemory& memory, size_t max_context_tokens,
                 EngineOptions& options) {
  const uint64_t picture = options.max_image_tokens * memory.feature_bytes_per_token;
  if (options.vision_cache_bytes == 0) {
    options.vision_cache_bytes = std::clamp(rest / 5, picture, kMostPictures * picture);
  }
  if (options.kv_memory_bytes == 0) {
    const uint64_t least = KvBytesFor(std::min(max_context_tokens, kLeastContextTokens), memory);
    options.kv_memory_bytes =
        std::clamp(Minus(rest, options.vision_cache_bytes), least,
                   std::max(least, options.max_sequences * KvBytesFor(max_context_tokens, memory)));
  }
}

Error TooLittle(const MemoryPlan& plan, uint64_t needed) {
  return Error{
      ErrorCode::kResourceExhausted,
      fmt::format("this needs {} of memory (weights {}, working memory {}, KV cache {}, "
                  "encoded pictures {}, the rest to spare) and {} can be had: free some, "
                  "raise the memory limit, or allow smaller pictures, shorter contexts "
                  "and answers, or less KV memory",
                  DescribeBytes(needed), DescribeBytes(plan.weight_bytes),
                  DescribeBytes(plan.working_bytes), DescribeBytes(plan.kv_bytes),
                  DescribeBytes(plan.vision_cache_bytes), DescribeBytes(plan.usable_bytes)),
      "memory"};
}

}  // namespace

std::string MemoryPlan::Describe() const {
  return fmt::format(
      "weights {}, working memory {}, KV cache up to {} ({} tokens), encoded pictures up to {}; {} "
      "could be had",
      DescribeBytes(weight_bytes), DescribeBytes(working_bytes), DescribeBytes(kv_bytes), kv_tokens,
      DescribeBytes(vision_cache_bytes), DescribeBytes(usable_bytes));
}

Result<MemoryPlan> PlanMemory(const MemoryLimits& limits, const ModelMemory& memory,
                              size_t max_context_tokens, EngineOptions& options) {
  MemoryPlan plan;
  plan.usable_bytes = limits.UsableBytes();
  plan.weight_bytes = memory.weight_bytes;
  plan.working_bytes = memory.encoder_bytes + memory.decoder_bytes;
  const uint64_t rest = Minus(plan.usable_bytes, memory.FixedBytes() + SpareBytes(limits));
  ChooseSizes(rest, memory, max_context_tokens, options);
  plan.kv_bytes = options.kv_memory_bytes;
  plan.kv_tokens = plan.kv_bytes / memory.kv_block_bytes * kKvBlockTokens;
  plan.vision_cache_bytes = options.vision_cache_bytes;
  const uint64_t needed =
      memory.FixedBytes() + kLeastSpareBytes + plan.kv_bytes + plan.vision_cache_bytes;
  if (needed > plan.usable_bytes) return TooLittle(plan, needed);
  return plan;
}

}  // namespace ocelli
