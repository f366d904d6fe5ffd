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

TEST(DecodeGate, WhatIsTooLargeGoesAlone) {
  DecodeGate gate(400);
  std::atomic<bool> leaving = false;
  std::thread other;
  {
    const auto pass = gate.Enter(1'000'000, PixelWork::kEnhance);
    other = std::thread([&] {
      const auto inner = gate.Enter(1, PixelWork::kDecode);
      EXPECT_TRUE(leaving);
    });
    std::this_thread::yield();
    leaving = true;
  }
  other.join();
}

}  // namespace
}  // namespace ocelli::server
