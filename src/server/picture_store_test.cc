#include "server/picture_store.h"

#include <gtest/gtest.h>

#include <string>

namespace ocelli::server {
namespace {

PictureStore::Bytes Bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
}

TEST(PictureStore, ReturnsWhatWasPutInItsScopeOnly) {
  PictureStore store(100'000);
  ASSERT_TRUE(store.Put("me", "one", Bytes("picture")).ok());
  EXPECT_EQ((*store.Get("me", "one"))->size(), 7u);
  const auto other = store.Get("you", "one");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(store.Put("you", "one", Bytes("another")).ok());
}

TEST(PictureStore, ANameMeansOnePictureForGood) {
  PictureStore store(100'000);
  ASSERT_TRUE(store.Put("me", "one", Bytes("picture")).ok());
  EXPECT_TRUE(store.Put("me", "one", Bytes("picture")).ok());
  EXPECT_FALSE(store.Put("me", "one", Bytes("picturE")).ok());
  EXPECT_FALSE(store.Put("me", std::string(300, 'x'), Bytes("picture")).ok());
}

TEST(PictureStore, TheLongestUnusedGiveWay) {
  PictureStore store(10'000);
  const std::string large(2000, 'x');
  for (const std::string name : {"a", "b", "c"})
    ASSERT_TRUE(store.Put("me", name, Bytes(large)).ok());
  EXPECT_TRUE(store.Get("me", "a").ok());
  ASSERT_TRUE(store.Put("me", "d", Bytes(large)).ok());
  EXPECT_TRUE(store.Get("me", "a").ok());
  EXPECT_FALSE(store.Get("me", "b").ok());
  EXPECT_LE(store.used_bytes(), 10'000u);
  ASSERT_TRUE(store.Put("me", "e", Bytes(std::string(20'000, 'x'))).ok());  // used, not kept
  EXPECT_FALSE(store.Get("me", "e").ok());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(store.Put("me", std::to_string(i), Bytes("")).ok());
  EXPECT_LE(store.used_bytes(), 10'000u);  // names cost memory too
}

}  // namespace
}  // namespace ocelli::server
