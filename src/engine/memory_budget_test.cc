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

// A machine of our own: a container whose limit binds.
MemoryLimits Container(uint64_t usable_bytes) {
  MemoryLimits limits;
  limits.available_bytes = 2000 * kGiB;
  limits.cgroup_free_bytes = usable_bytes;
  return limits;
}

TEST(PlanMemory, StaysInsideWhatThereIs) {
  for (uint64_t usable = 5 * kGiB + 512 * kMiB; usable < 64 * kGiB; usable += kGiB) {
    EngineOptions options;
    const auto plan = PlanMemory(Container(usable), TwoBillion(), 262'144, options);
    ASSERT_TRUE(plan.ok()) << usable;
    EXPECT_GE(options.vision_cache_bytes,
              options.max_image_tokens * TwoBillion().feature_bytes_per_token);
    EXPECT_LE(plan->weight_bytes + plan->working_bytes + plan->vision_cache_bytes + plan->kv_bytes,
              usable - usable / 16);
    EXPECT_EQ(plan->kv_bytes, options.kv_memory_bytes);
    EXPECT_EQ(plan->kv_tokens, options.kv_memory_bytes / (7 * kMiB) * 32);
  }
}

TEST(PlanMemory, LeavesAQuarterOfASharedMachineToOthers) {
  MemoryLimits limits;
  limits.available_bytes = 12 * kGiB;
  EngineOptions options;
  const auto plan = PlanMemory(limits, TwoBillion(), 262'144, options);
  ASSERT_TRUE(plan.ok());
  EXPECT_LE(TwoBillion().FixedBytes() + plan->vision_cache_bytes + plan->kv_bytes, 9 * kGiB);
}

TEST(PlanMemory, TakesNoMoreThanCanBeUsed) {
  EngineOptions options;
  ASSERT_TRUE(PlanMemory(Container(1000 * kGiB), TwoBillion(), 4096, options).ok());
  EXPECT_EQ(options.kv_memory_bytes, 16 * (4096 / 32) * 7 * kMiB);
  EXPECT_EQ(options.vision_cache_bytes, 8 * 4096 * TwoBillion().feature_bytes_per_token);
}

TEST(PlanMemory, KeepsWhatWasAskedFor) {
  EngineOptions options;
  options.kv_memory_bytes = 500 * kMiB;
  options.vision_cache_bytes = 200 * kMiB;
  ASSERT_TRUE(PlanMemory(Container(16 * kGiB), TwoBillion(), 4096, options).ok());
  EXPECT_EQ(options.kv_memory_bytes, 500 * kMiB);
  EXPECT_EQ(options.vision_cache_bytes, 200 * kMiB);
}

TEST(PlanMemory, APlanWithoutPicturesKeepsNone) {
  EngineOptions options;
  options.max_image_tokens = 0;
  ASSERT_TRUE(PlanMemory(Container(16 * kGiB), TwoBillion(), 4096, options).ok());
  EXPECT_EQ(options.vision_cache_bytes, 0u);
}

TEST(PlanMemory, SaysWhatIsNeededWhenItDoesNotFit) {
  EngineOptions options;
  const auto plan = PlanMemory(Container(4 * kGiB), TwoBillion(), 4096, options);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(plan.error().message, ::testing::HasSubstr("weights 4.00 GiB"));
  EXPECT_THAT(plan.error().message, ::testing::HasSubstr("4.00 GiB can be had"));
  EngineOptions greedy;
  greedy.kv_memory_bytes = uint64_t{1} << 62;
  greedy.vision_cache_bytes = uint64_t{1} << 62;
  EXPECT_FALSE(PlanMemory(Container(16 * kGiB), TwoBillion(), 4096, greedy).ok());
}

}  // namespace
}  // namespace ocelli
