#include "server/decode_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ocelli::server {
namespace {

TEST(DecodeGate, LimitsAPictureToWhatHasMemoryWhenItIsAlone) {
  DecodeLimits limits;
  limits.max_pixels = 1000;
  EXPECT_EQ(DecodeGate(1 << 20).Fit(limits, PixelWork::kEnhance).max_pixels, 1000u);
  const DecodeGate small(360);
  EXPECT_EQ(small.Fit(limits, PixelWork::kDecode).max_pixels, 90u);
  EXPECT_EQ(small.Fit(limits, PixelWork::kEnhance).max_pixels, 40u);
  EXPECT_EQ(small.Fit(limits, PixelWork::kDecode).max_encoded_bytes, limits.max_encoded_bytes);
}

TEST(DecodeGate, LetsInWhatFitsTogetherAndTheOthersAfterwards) {
  DecodeGate gate(800);  // two pictures of 100 pixels
  std::atomic<int> within = 0, most = 0, done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const auto pass = gate.Enter(100, PixelWork::kDecode);
        const int now = ++within;
        int seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        --within;
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 400);
  EXPECT_LE(most, 2);
}

// Returns once `count` wait at the gate.
void AwaitWaiting(DecodeGate& gate, size_t count) {
  while (gate.num_waiting() < count) std::this_thread::yield();
}

TEST(DecodeGate, WhatIsTooLargeGoesAlone) {
  DecodeGate gate(400);
  std::atomic<bool> entered = false;
  std::thread other;
  {
    const auto pass = gate.Enter(1'000'000, PixelWork::kEnhance);
    other = std::thread([&] {
      const auto inner = gate.Enter(1, PixelWork::kDecode);
      entered = true;
    });
    AwaitWaiting(gate, 1);
    EXPECT_FALSE(entered);
  }
  other.join();
  EXPECT_TRUE(entered);
}

TEST(DecodeGate, ASmallOneDoesNotPassALargeOneThatWaits) {
  DecodeGate gate(400);
  std::atomic<int> entered = 0;
  std::atomic<int> large_place = 0, small_place = 0;
  std::thread large, small;
  {
    const auto pass = gate.Enter(50, PixelWork::kDecode);  // half of it
    large = std::thread([&] {
      const auto inner = gate.Enter(100, PixelWork::kDecode);
      large_place = ++entered;
    });
    AwaitWaiting(gate, 1);
    small = std::thread([&] {
      const auto inner = gate.Enter(1, PixelWork::kDecode);
      small_place = ++entered;
    });
    AwaitWaiting(gate, 2);
    EXPECT_EQ(entered, 0);
  }
  large.join();
  small.join();
  EXPECT_EQ(large_place, 1);
  EXPECT_EQ(small_place, 2);
}

}  // namespace
}  // namespace ocelli::server
