#include "model/kv_cache.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

KvLayout SmallLayout() {
  KvLayout layout;
  layout.attention = {4, 2, 8};
  layout.num_layers = 3;
  return layout;
}

TEST(KvLayout, BlockHoldsEveryLayer) {
  const KvLayout layout = SmallLayout();
  EXPECT_EQ(layout.BlockBytes(), 3 * KvBlockBytes(layout.attention));
  EXPECT_EQ(KvLayout::BlocksFor(0), 0u);
  EXPECT_EQ(KvLayout::BlocksFor(kKvBlockTokens), 1u);
  EXPECT_EQ(KvLayout::BlocksFor(kKvBlockTokens + 1), 2u);
}

TEST(KvLayout, Bf16TakesHalf) {
  KvLayout layout = SmallLayout();
  const size_t float32_bytes = layout.BlockBytes();
  layout.attention.kv_type = KvType::kBf16;
  EXPECT_EQ(layout.BlockBytes() * 2, float32_bytes);
}

TEST(KvArena, BlocksDoNotOverlap) {
  KvArena arena(SmallLayout(), 3);
  const size_t block_bytes = arena.layout().BlockBytes();
  for (KvBlockId block = 0; block < 3; ++block) {
    std::fill_n(arena.Data(block), block_bytes, static_cast<std::byte>(block));
  }
  for (KvBlockId block = 0; block < 3; ++block) {
    EXPECT_EQ(arena.Data(block)[0], static_cast<std::byte>(block));
    EXPECT_EQ(arena.Data(block)[block_bytes - 1], static_cast<std::byte>(block));
  }
}

TEST(KvArenaDeathTest, BlockPastTheEndIsOurBug) {
  KvArena arena(SmallLayout(), 1);
  EXPECT_DEATH(arena.Data(1), "block 1 of 1");
}

}  // namespace
}  // namespace ocelli
