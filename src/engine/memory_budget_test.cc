#include "engine/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ocelli {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

// About the 2B model at float32.
ModelMemory TwoBillion() {
  ModelMemory memory;
  memory.weight_bytes = 4 * kGiB;
  memory.encoder_bytes = 300 * kMiB;
  memory.decoder_bytes = 100 * kMiB;
  memory.kv_block_bytes = 7 * kMiB;
  memory.feature_bytes_per_token = 32 << 10;
  return memory;
}

TEST(ShareMemory, StaysInsideWhatThereIs) {
  for (uint64_t usable = 5 * kGiB + 512 * kMiB; usable < 64 * kGiB; usable += kGiB) {
    EngineOptions options;
    ASSERT_TRUE(ShareMemory(usable, TwoBillion(), 262'144, options).ok()) << usable;
    EXPECT_GE(options.vision_cache_bytes,
              options.max_image_tokens * TwoBillion().feature_bytes_per_token);
    EXPECT_LE(TwoBillion().FixedBytes() + options.vision_cache_bytes + options.kv_memory_bytes,
              usable - usable / 16);
  }
}

TEST(ShareMemory, TakesNoMoreThanCanBeUsed) {
  EngineOptions options;
  ASSERT_TRUE(ShareMemory(1000 * kGiB, TwoBillion(), 4096, options).ok());
  EXPECT_EQ(options.kv_memory_bytes, 16 * (4096 / 32) * 7 * kMiB);
  EXPECT_EQ(options.vision_cache_bytes, 8 * 4096 * TwoBillion().feature_bytes_per_token);
}

TEST(ShareMemory, KeepsWhatWasAskedFor) {
  EngineOptions options;
  options.kv_memory_bytes = 500 * kMiB;
  options.vision_cache_bytes = 200 * kMiB;
  ASSERT_TRUE(ShareMemory(16 * kGiB, TwoBillion(), 4096, options).ok());
  EXPECT_EQ(options.kv_memory_bytes, 500 * kMiB);
  EXPECT_EQ(options.vision_cache_bytes, 200 * kMiB);
}

TEST(ShareMemory, SaysWhatIsNeededWhenItDoesNotFit) {
  EngineOptions options;
  const Status status = ShareMemory(4 * kGiB, TwoBillion(), 4096, options);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(status.error().message, ::testing::HasSubstr("4096 MiB can be had"));
  EngineOptions greedy;
  greedy.kv_memory_bytes = 100 * kGiB;
  EXPECT_FALSE(ShareMemory(16 * kGiB, TwoBillion(), 4096, greedy).ok());
}

}  // namespace
}  // namespace ocelli
