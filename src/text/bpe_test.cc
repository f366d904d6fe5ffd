#include "text/bpe.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using ::testing::ElementsAre;

std::array<TokenId, 256> IdentityBytes() {
  std::array<TokenId, 256> bytes;
  std::iota(bytes.begin(), bytes.end(), 0);
  return bytes;
}

// The definition, in quadratic time: apply the leftmost merge of the lowest rank until none
// applies.
std::vector<TokenId> NaiveEncode(std::span<const BpeMerge> merges, std::string_view bytes) {
  std::vector<TokenId> ids;
  for (const char c : bytes) ids.push_back(static_cast<uint8_t>(c));
  const auto rank_at = [&](size_t i) {
    return std::find_if(merges.begin(), merges.end(),
                        [&](const BpeMerge& merge) {
                          return merge.left == ids[i] && merge.right == ids[i + 1];
                        }) -
           merges.begin();
  };
  while (true) {
    auto best = static_cast<std::ptrdiff_t>(merges.size());
    size_t at = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      if (rank_at(i) < best) best = rank_at(at = i);
    }
    if (best == static_cast<std::ptrdiff_t>(merges.size())) return ids;
    ids[at] = merges[static_cast<size_t>(best)].result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

std::vector<TokenId> Encode(const BpeMerger& merger, std::string_view bytes) {
  BpeScratch scratch;
  std::vector<TokenId> ids;
  merger.Encode(bytes, scratch, ids);
  return ids;
}

// Random merges of tokens made by earlier merges, over a small alphabet.
std::vector<BpeMerge> RandomMerges(std::mt19937& rng, TokenId num_merges) {
  std::vector<BpeMerge> merges;
  const auto pick = [&]() -> TokenId {
    const auto i = static_cast<TokenId>(rng() % (3 + merges.size()));
    return i < 3 ? 'a' + i : 256 + i - 3;
  };
  for (TokenId result = 256; result < 256 + num_merges; ++result) {
    BpeMerge merge{pick(), pick(), result};
    const bool is_new = std::none_of(merges.begin(), merges.end(), [&](const BpeMerge& other) {
      return other.left == merge.left && other.right == merge.right;
    });
    if (!is_new) merge.left = -result;  // a merge that never applies
    merges.push_back(merge);
  }
  return merges;
}

TEST(BpeMerger, LowestRankFirstThenLeftmost) {
  const BpeMerger merger(IdentityBytes(), std::vector<BpeMerge>{{'b', 'c', 256}, {'a', 'b', 257}});
  EXPECT_THAT(Encode(merger, "abc"), ElementsAre('a', 256));
  EXPECT_THAT(Encode(merger, "abab"), ElementsAre(257, 257));
  const BpeMerger doubler(IdentityBytes(), std::vector<BpeMerge>{{'a', 'a', 256}});
  EXPECT_THAT(Encode(doubler, "aaaaa"), ElementsAre(256, 256, 'a'));
}

TEST(BpeMerger, NoMergesGiveBytes) {
  const BpeMerger merger(IdentityBytes(), {});
  EXPECT_THAT(Encode(merger,
                     "\xFF"
                     "a"),
              ElementsAre(255, 'a'));
  EXPECT_THAT(Encode(merger, ""), ElementsAre());
}

TEST(BpeMerger, EqualsTheDefinitionOnRandomMerges) {
  std::mt19937 rng(11);
  for (int round = 0; round < 300; ++round) {
    const std::vector<BpeMerge> merges = RandomMerges(rng, static_cast<TokenId>(rng() % 30));
    const BpeMerger merger(IdentityBytes(), merges);
    std::string text(rng() % 40, 'a');
    for (char& c : text) c = static_cast<char>('a' + rng() % 3);
    ASSERT_EQ(Encode(merger, text), NaiveEncode(merges, text)) << text;
  }
}

// What bounds the time: each byte is pushed once at first and each merge pushes at most two more,
// and a heap entry costs log n.
TEST(BpeMerger, WorkOnAMegabyteIsAtMostThreeHeapEntriesAByte) {
  std::mt19937 rng(13);
  const BpeMerger merger(IdentityBytes(), RandomMerges(rng, 2000));
  std::string text(1u << 20, 'a');
  for (char& c : text) c = static_cast<char>('a' + rng() % 3);
  BpeScratch scratch;
  std::vector<TokenId> ids;
  merger.Encode(text, scratch, ids);
  EXPECT_EQ(ids.size() + scratch.num_merges, text.size());
  EXPECT_GT(scratch.num_merges, text.size() / 4);
  EXPECT_LE(scratch.num_heap_pushes, 3 * text.size());
}

}  // namespace
}  // namespace ocelli
