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
  EXPECT_EQ(layout.BlockBytes(), 3 * KvBlockFloats(layout.attention) * sizeof(float));
  EXPECT_EQ(KvLayout::BlocksFor(0), 0u);
  EXPECT_EQ(KvLayout::BlocksFor(kKvBlockTokens), 1u);
  EXPECT_EQ(KvLayout::BlocksFor(kKvBlockTokens + 1), 2u);
}

TEST(KvArena, BlocksDoNotOverlap) {
  KvArena arena(SmallLayout(), 3);
  const size_t block_floats = arena.layout().BlockBytes() / sizeof(float);
  for (KvBlockId block = 0; block < 3; ++block) {
    std::fill_n(arena.Data(block), block_floats, static_cast<float>(block));
  }
  for (KvBlockId block = 0; block < 3; ++block) {
    EXPECT_EQ(arena.Data(block)[0], static_cast<float>(block));
    EXPECT_EQ(arena.Data(block)[block_floats - 1], static_cast<float>(block));
  }
}

TEST(KvArenaDeathTest, BlockPastTheEndIsOurBug) {
  KvArena arena(SmallLayout(), 1);
  EXPECT_DEATH(arena.Data(1), "block 1 of 1");
}

}  // namespace
}  // namespace ocelli
