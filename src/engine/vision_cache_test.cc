#include "engine/vision_cache.h"

#include <gtest/gtest.h>

namespace ocelli {
namespace {

class Picture : public EncodedPicture {};

PictureKey Key(uint64_t n) { return {n, n}; }

void Insert(VisionCache& cache, uint64_t key, uint64_t size_bytes) {
  ASSERT_TRUE(cache.MakeRoom(size_bytes));
  cache.Insert(Key(key), std::make_shared<Picture>(), size_bytes);
}

TEST(VisionCache, FindsWhatWasPutInAndNothingElse) {
  VisionCache cache(100);
  Insert(cache, 1, 40);
  EXPECT_NE(cache.Find(Key(1)), nullptr);
  EXPECT_EQ(cache.Find(Key(2)), nullptr);
  EXPECT_EQ(cache.Find({1, 2}), nullptr);
  EXPECT_EQ(cache.used_bytes(), 40u);
}

TEST(VisionCache, GivesUpTheLeastRecentlyUsed) {
  VisionCache cache(100);
  Insert(cache, 1, 40);
  Insert(cache, 2, 40);
  EXPECT_NE(cache.Find(Key(1)), nullptr);
  Insert(cache, 3, 40);
  EXPECT_EQ(cache.Find(Key(2)), nullptr);
  EXPECT_NE(cache.Find(Key(1)), nullptr);
  EXPECT_NE(cache.Find(Key(3)), nullptr);
  EXPECT_EQ(cache.used_bytes(), 80u);
}

TEST(VisionCache, NeverGivesUpAPictureInUse) {
  VisionCache cache(100);
  Insert(cache, 1, 60);
  const auto held = cache.Find(Key(1));
  EXPECT_FALSE(cache.MakeRoom(60));
  EXPECT_NE(cache.Find(Key(1)), nullptr);
  Insert(cache, 2, 40);
  EXPECT_EQ(cache.used_bytes(), 100u);
}

TEST(VisionCache, RefusesMoreThanTheBudget) {
  VisionCache cache(100);
  EXPECT_FALSE(cache.MakeRoom(101));
  EXPECT_TRUE(cache.MakeRoom(100));
}

TEST(VisionCache, StaysInsideItsBudgetForManyPictures) {
  VisionCache cache(1000);
  for (uint64_t key = 0; key < 500; ++key) {
    Insert(cache, key, 1 + key * 7 % 400);
    ASSERT_LE(cache.used_bytes(), 1000u);
  }
}

}  // namespace
}  // namespace ocelli
