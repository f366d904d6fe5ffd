#include "model/kv_cache.h"

#include <set>

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

TEST(KvPool, GivesEachBlockToOneHolderUntilItComesBack) {
  KvPool pool(SmallLayout(), 4);
  std::set<float*> addresses;
  for (size_t i = 0; i < 4; ++i) {
    const auto block = pool.Take();
    ASSERT_TRUE(block.has_value());
    addresses.insert(pool.Data(*block));
  }
  EXPECT_EQ(addresses.size(), 4u);
  EXPECT_EQ(pool.num_free(), 0u);
  EXPECT_FALSE(pool.Take().has_value());
  pool.GiveBack(2);
  EXPECT_EQ(pool.Take(), std::optional<KvBlockId>(2));
}

TEST(KvPool, BlocksDoNotOverlap) {
  KvPool pool(SmallLayout(), 3);
  const size_t block_floats = pool.layout().BlockBytes() / sizeof(float);
  for (KvBlockId block = 0; block < 3; ++block) {
    std::fill_n(pool.Data(block), block_floats, static_cast<float>(block));
  }
  for (KvBlockId block = 0; block < 3; ++block) {
    EXPECT_EQ(pool.Data(block)[0], static_cast<float>(block));
    EXPECT_EQ(pool.Data(block)[block_floats - 1], static_cast<float>(block));
  }
}

TEST(KvPoolDeathTest, BlockGivenBackTwiceIsOurBug) {
  KvPool pool(SmallLayout(), 1);
  EXPECT_DEATH(pool.GiveBack(0), "not taken");
}

TEST(BlockTable, GrowsToTheTokensAskedForAndGivesAllBack) {
  KvPool pool(SmallLayout(), 3);
  BlockTable table;
  EXPECT_TRUE(table.Grow(pool, 1));
  EXPECT_EQ(table.capacity_tokens(), kKvBlockTokens);
  EXPECT_TRUE(table.Grow(pool, kKvBlockTokens));
  EXPECT_EQ(table.ids().size(), 1u);
  EXPECT_TRUE(table.Grow(pool, kKvBlockTokens + 1));
  EXPECT_EQ(table.view()[1], pool.Data(table.ids()[1]));
  table.Clear(pool);
  EXPECT_EQ(pool.num_free(), 3u);
  EXPECT_TRUE(table.view().empty());
}

TEST(BlockTable, KeepsWhatItGotWhenThePoolRunsOut) {
  KvPool pool(SmallLayout(), 2);
  BlockTable table;
  EXPECT_FALSE(table.Grow(pool, 5 * kKvBlockTokens));
  EXPECT_EQ(table.ids().size(), 2u);
  table.Clear(pool);
}

}  // namespace
}  // namespace ocelli
