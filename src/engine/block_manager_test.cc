#include "engine/block_manager.h"

#include <gtest/gtest.h>

#include <vector>

namespace ocelli {
namespace {

using Units = std::vector<ContentUnit>;

Units Tokens(size_t count, TokenId first = 0) {
  Units units;
  for (size_t i = 0; i < count; ++i) {
    units.push_back(ContentUnit::Token(first + static_cast<TokenId>(i)));
  }
  return units;
}

std::vector<BlockKey> KeysOf(const Units& units) {
  std::vector<BlockKey> keys;
  for (size_t at = 0; at + kKvBlockTokens <= units.size(); at += kKvBlockTokens) {
    keys.push_back(ChainKey(keys.empty() ? BlockKey{} : keys.back(),
                            std::span(units).subspan(at, kKvBlockTokens)));
  }
  return keys;
}

// Allocates blocks for `units` and records them as computed.
std::vector<KvBlockId> Fill(BlockManager& blocks, const Units& units) {
  const auto keys = KeysOf(units);
  std::vector<KvBlockId> ids;
  for (size_t at = 0; at < units.size(); at += kKvBlockTokens) {
    const size_t index = at / kKvBlockTokens;
    const size_t count = std::min(kKvBlockTokens, units.size() - at);
    ids.push_back(blocks.SetContent(blocks.Allocate(), index == 0 ? BlockKey{} : keys[index - 1],
                                    std::span(units).subspan(at, count),
                                    index < keys.size() ? keys[index] : BlockKey{}));
  }
  return ids;
}

void ReleaseAll(BlockManager& blocks, const std::vector<KvBlockId>& ids) {
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) blocks.Release(*id);
  blocks.CheckInvariants();
}

PrefixMatch Match(const BlockManager& blocks, const Units& units) {
  return blocks.Match(units, KeysOf(units));
}

TEST(BlockManager, EveryBlockIsGivenOnce) {
  BlockManager blocks(4, true);
  std::vector<bool> seen(4);
  for (int i = 0; i < 4; ++i) {
    const KvBlockId id = blocks.Allocate();
    EXPECT_FALSE(seen[id]);
    seen[id] = true;
  }
  EXPECT_EQ(blocks.num_available(), 0u);
  blocks.CheckInvariants();
}

TEST(BlockManager, FindsWholeBlocksAndTheTail) {
  BlockManager blocks(8, true);
  const auto ids = Fill(blocks, Tokens(80));
  const PrefixMatch match = Match(blocks, Tokens(80));
  EXPECT_EQ(match.blocks, (std::vector<KvBlockId>{ids[0], ids[1]}));
  EXPECT_EQ(match.tail, ids[2]);
  EXPECT_TRUE(match.tail_is_all);
  EXPECT_EQ(match.num_tokens(), 80u);
}

TEST(BlockManager, AWholeBlockServesAsTailOfAShorterPrompt) {
  BlockManager blocks(8, true);
  const auto ids = Fill(blocks, Tokens(64));
  const PrefixMatch match = Match(blocks, Tokens(63));
  EXPECT_EQ(match.blocks, (std::vector<KvBlockId>{ids[0]}));
  EXPECT_EQ(match.tail, ids[1]);
  EXPECT_EQ(match.tail_tokens, 31u);
  EXPECT_FALSE(match.tail_is_all);
}

TEST(BlockManager, TheTailWithTheLongestCommonStartWins) {
  BlockManager blocks(8, true);
  Units a = Tokens(40);
  Units b = Tokens(44);
  a[36] = ContentUnit::Token(1000);
  b[42] = ContentUnit::Token(2000);
  Fill(blocks, a);
  const auto ids_b = Fill(blocks, b);
  const PrefixMatch match = Match(blocks, Tokens(50));
  EXPECT_EQ(match.tail, ids_b[1]);
  EXPECT_EQ(match.tail_tokens, 10u);
}

TEST(BlockManager, EqualTokensAfterADifferentStartAreNotFound) {
  BlockManager blocks(8, true);
  Fill(blocks, Tokens(64));
  Units other = Tokens(64);
  other[0] = ContentUnit::Token(777);
  EXPECT_EQ(Match(blocks, other).num_tokens(), 0u);
}

TEST(BlockManager, PicturesDifferByKeyAndOffset) {
  BlockManager blocks(8, true);
  const auto picture = [](uint64_t key) {
    Units units;
    for (size_t i = 0; i < 32; ++i) units.push_back(ContentUnit::Image({key, key}, i));
    return units;
  };
  Fill(blocks, picture(1));
  EXPECT_EQ(Match(blocks, picture(1)).num_tokens(), 32u);
  EXPECT_EQ(Match(blocks, picture(2)).num_tokens(), 0u);
  Units shifted = picture(1);
  for (size_t i = 0; i < 32; ++i) ++shifted[i].value;
  EXPECT_EQ(Match(blocks, shifted).num_tokens(), 0u);
  Units token = Tokens(32);
  EXPECT_EQ(Match(blocks, token).num_tokens(), 0u);
}

TEST(BlockManager, IdleContentStaysUntilItsMemoryIsNeededOldestFirst) {
  BlockManager blocks(3, true);
  const auto first = Fill(blocks, Tokens(32, 100));
  const auto second = Fill(blocks, Tokens(32, 200));
  ReleaseAll(blocks, first);
  ReleaseAll(blocks, second);
  EXPECT_EQ(blocks.num_available(), 3u);
  EXPECT_EQ(blocks.num_cached(), 2u);
  blocks.Allocate();  // the block that never had content
  EXPECT_EQ(blocks.num_cached(), 2u);
  EXPECT_EQ(blocks.Allocate(), first[0]);
  EXPECT_EQ(Match(blocks, Tokens(32, 100)).num_tokens(), 0u);
  EXPECT_EQ(Match(blocks, Tokens(32, 200)).num_tokens(), 32u);
  blocks.CheckInvariants();
}

TEST(BlockManager, TheEndOfAChainIsGivenUpBeforeItsStart) {
  BlockManager blocks(3, true);
  ReleaseAll(blocks, Fill(blocks, Tokens(96)));
  blocks.Allocate();
  EXPECT_EQ(Match(blocks, Tokens(96)).num_tokens(), 64u);
  blocks.Allocate();
  EXPECT_EQ(Match(blocks, Tokens(96)).num_tokens(), 32u);
}

TEST(BlockManager, ASharedBlockIsNotGivenUp) {
  BlockManager blocks(2, true);
  const auto ids = Fill(blocks, Tokens(32));
  blocks.Share(ids[0]);
  blocks.Release(ids[0]);
  EXPECT_EQ(blocks.ref_count(ids[0]), 1u);
  EXPECT_EQ(blocks.num_available(), 1u);
  EXPECT_NE(blocks.Allocate(), ids[0]);
  EXPECT_EQ(Match(blocks, Tokens(32)).num_tokens(), 32u);
}

TEST(BlockManager, SharingAnIdleBlockTakesItOffTheList) {
  BlockManager blocks(1, true);
  const auto ids = Fill(blocks, Tokens(32));
  ReleaseAll(blocks, ids);
  blocks.Share(ids[0]);
  EXPECT_EQ(blocks.num_available(), 0u);
  blocks.CheckInvariants();
}

TEST(BlockManager, ASecondCopyOfAWholeBlockIsReplacedByTheFirst) {
  BlockManager blocks(4, true);
  const auto first = Fill(blocks, Tokens(32));
  const auto second = Fill(blocks, Tokens(32));
  EXPECT_EQ(second, first);
  EXPECT_EQ(blocks.ref_count(first[0]), 2u);
  EXPECT_EQ(blocks.num_available(), 3u);
  EXPECT_EQ(blocks.num_cached(), 0u);
  blocks.CheckInvariants();
}

TEST(BlockManager, AGrowingBlockIsFoundAtEveryLength) {
  BlockManager blocks(2, true);
  const Units units = Tokens(32);
  const KvBlockId id = blocks.Allocate();
  const auto keys = KeysOf(units);
  for (size_t count = 1; count <= 32; ++count) {
    blocks.SetContent(id, {}, std::span(units).first(count), keys[0]);
    EXPECT_EQ(Match(blocks, units).num_tokens(), count);
  }
  EXPECT_EQ(Match(blocks, units).blocks, (std::vector<KvBlockId>{id}));
}

TEST(BlockManager, WithoutReuseNothingIsFound) {
  BlockManager blocks(4, false);
  const auto ids = Fill(blocks, Tokens(40));
  EXPECT_EQ(Match(blocks, Tokens(40)).num_tokens(), 0u);
  ReleaseAll(blocks, ids);
  EXPECT_EQ(blocks.num_cached(), 0u);
}

TEST(PrefixIndex, AnEqualKeyWithOtherContentIsNotAMatch) {
  PrefixIndex index(2);
  const BlockKey key{1, 2};
  index.Set(0, {}, Tokens(32), key);
  EXPECT_TRUE(index.FindFull(key, Tokens(32)).has_value());
  EXPECT_FALSE(index.FindFull(key, Tokens(32, 5)).has_value());
  EXPECT_FALSE(index.FindFull({1, 3}, Tokens(32)).has_value());
}

}  // namespace
}  // namespace ocelli
