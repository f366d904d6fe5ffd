#include "kernels/peaks.h"

#include <atomic>
#include <chrono>
#include <cstring>

#include "kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/peaks.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/linear_lanes-inl.h"

#ifndef OCELLI_KERNELS_PEAKS_ONCE_
#define OCELLI_KERNELS_PEAKS_ONCE_
namespace ocelli {
constexpr size_t kMaxChains = 24;
}
#endif

HWY_BEFORE_NAMESPACE();
namespace ocelli {
namespace HWY_NAMESPACE {

// Sums side by side: latency times ports (4 or 5 times 2) at least, and within the registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr size_t kChains = kMaxChains;
#else
constexpr size_t kChains = 12;
#endif

// Does `rounds` times kChains multiply-adds; returns how many floating-point operations that was.
// The chains begin with different numbers of `values` (kMaxChains), lest the compiler merge them.
double MultiplyAddLoop(size_t rounds, float* values) {
  const Lanes factor = Broadcast(0.999f);
  const Lanes addend = Broadcast(0.001f);
  Lanes chains[kChains];
#pragma GCC unroll 32
  for (size_t i = 0; i < kChains; ++i) chains[i] = Broadcast(values[i]);
  for (size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 32
    for (size_t i = 0; i < kChains; ++i) chains[i] = MultiplyAdd(chains[i], factor, addend);
  }
  Lanes sum = Zero();
#pragma GCC unroll 32
  for (size_t i = 0; i < kChains; ++i) sum = Sum(sum, chains[i]);
  StoreUnaligned(sum, values);
  return 2.0 * static_cast<double>(rounds * kChains * kLanes);
}

// Reads `size_bytes` (a multiple of 16 KiB): four pages side by side and prefetching 16 KiB ahead,
// which was a quarter faster than one line after the other (Emerald Rapids), more streams no
// faster.
void ReadLoop(const std::byte* data, size_t size_bytes, float* result) {
  constexpr size_t kStreams = 4, kPage = 4096, kAhead = kStreams * kPage;
  constexpr size_t kVectors = kCacheLineBytes / sizeof(Lanes);
  Lanes sums[kStreams] = {Zero(), Zero(), Zero(), Zero()};
  for (size_t at = 0; at < size_bytes; at += kStreams * kPage) {
    for (size_t line = 0; line < kPage; line += kCacheLineBytes) {
#pragma GCC unroll 16
      for (size_t s = 0; s < kStreams; ++s) {
        const std::byte* from = data + at + s * kPage + line;
        __builtin_prefetch(from + kAhead);
#pragma GCC unroll 16
        for (size_t v = 0; v < kVectors; ++v) {
          sums[s] = Sum(sums[s], LoadLanes(reinterpret_cast<const float*>(from) + v * kLanes));
        }
      }
    }
  }
  StoreUnaligned(Sum(Sum(sums[0], sums[1]), Sum(sums[2], sums[3])), result);
}

}  // namespace HWY_NAMESPACE
}  // namespace ocelli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {
namespace {

HWY_EXPORT(MultiplyAddLoop);
HWY_EXPORT(ReadLoop);

using Clock = std::chrono::steady_clock;
constexpr size_t kChunkBytes = size_t{1} << 20;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

double MeasureFmaPeak(double seconds, ThreadPool& pool) {
  constexpr size_t kRounds = 4096;
  std::atomic<double> operations = 0;
  const Clock::time_point start = Clock::now();
  pool.Run([&](int) {
    float values[kMaxChains];
    for (size_t i = 0; i < kMaxChains; ++i) values[i] = static_cast<float>(i);
    double done = 0;
    while (SecondsSince(start) < seconds) {
      done += OCELLI_DISPATCH(MultiplyAddLoop)(kRounds, values);
    }
    operations += done;
  });
  return operations / SecondsSince(start);
}

ReadBuffer::ReadBuffer(size_t size_bytes, ThreadPool& pool)
    : buffer_((size_bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes) {
  pool.ForEach(buffer_.size_bytes() / kChunkBytes, [&](size_t chunk, int) {
    std::memset(buffer_.data() + chunk * kChunkBytes, 0, kChunkBytes);
  });
}

double ReadBuffer::MeasureBandwidth(double seconds, ThreadPool& pool) {
  const size_t num_chunks = buffer_.size_bytes() / kChunkBytes;
  std::atomic<size_t> next = next_chunk_;
  const Clock::time_point start = Clock::now();
  pool.Run([&](int) {
    float result[16];
    while (SecondsSince(start) < seconds) {
      const size_t chunk = next.fetch_add(1, std::memory_order_relaxed) % num_chunks;
      OCELLI_DISPATCH(ReadLoop)(buffer_.data() + chunk * kChunkBytes, kChunkBytes, result);
    }
  });
  const double elapsed = SecondsSince(start);
  const size_t chunks = next - next_chunk_;
  next_chunk_ = next % num_chunks;
  return static_cast<double>(chunks * kChunkBytes) / elapsed;
}

}  // namespace ocelli
#endif
