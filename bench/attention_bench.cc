// Attention and activations at the sizes of Qwen3-VL-2B, each beside the limit of the same moment:
// the multiply-add peak for encoder and prompt, the read bandwidth for decoding.
//
//   ocelli_attention_bench --benchmark_filter=Full --benchmark_repetitions=5
//
// OCELLI_CPU=-avx512 measures the AVX2 kernels; OCELLI_BENCH_THREADS sets the threads.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "base/machine_limits.h"
#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/norm.h"
#include "kernels/peaks.h"

namespace ocelli {
namespace {

using Clock = std::chrono::steady_clock;

ThreadPool& Pool() {
  static ThreadPool pool([] {
    const char* wanted = std::getenv("OCELLI_BENCH_THREADS");
    return wanted != nullptr ? std::max(1, std::atoi(wanted)) : DetectThreadLimits().threads;
  }());
  return pool;
}

void FillNormal(Mat<float>& m) {
  std::mt19937 rng(7);
  std::normal_distribution<float> normal;
  for (size_t i = 0; i < m.rows() * m.cols(); ++i) m.data()[i] = normal(rng);
}

// Runs `work` once for each iteration, measures the limit after each, and reports both.
template <class Work, class Limit>
void RunBesideLimit(benchmark::State& state, double units_per_run, const char* unit, Work work,
                    Limit limit) {
  double busy_seconds = 0;
  double limit_sum = 0;
  for (auto _ : state) {
    const auto start = Clock::now();
    work();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    state.SetIterationTime(seconds);
    busy_seconds += seconds;
    limit_sum += limit();
  }
  const auto runs = static_cast<double>(state.iterations());
  const double rate = units_per_run * runs / busy_seconds;
  state.counters[unit] = rate * 1e-9;
  state.counters["limit"] = limit_sum / runs * 1e-9;
  state.counters["share"] = rate / (limit_sum / runs);
}

double FmaPeak() { return MeasureFmaPeak(0.01, Pool()); }

// One layer of the vision encoder: n patches, 16 heads.
void BM_FullAttention(benchmark::State& state) {
  const auto n = static_cast<size_t>(state.range(0));
  const auto head_dim = static_cast<size_t>(state.range(1));
  const AttentionShape shape{16, 16, head_dim};
  const size_t width = shape.heads * head_dim;
  Mat<float> qkv(n, 3 * width);
  Mat<float> out(n, width);
  FillNormal(qkv);
  AttentionScratch scratch(shape, n, Pool().num_threads());
  const MatView<const float> view = qkv.view();
  const double flops = 4.0 * static_cast<double>(n * n * width);
  RunBesideLimit(
      state, flops, "GFLOP/s",
      [&] {
        FullAttention(shape, view.Cols(0, width), view.Cols(width, width),
                      view.Cols(2 * width, width), out.view(), scratch, Pool());
      },
      FmaPeak);
}
BENCHMARK(BM_FullAttention)
    ->ArgNames({"n", "head_dim"})
    ->ArgsProduct({{441, 1200, 3072}, {64}})
    ->Args({1200, 72})
    ->UseManualTime();

// The KV cache of one layer and one sequence, filled.
class Cache {
 public:
  Cache(const AttentionShape& shape, size_t tokens)
      : blocks_((tokens + kKvBlockTokens - 1) / kKvBlockTokens,
                KvBlockBytes(shape) / sizeof(float)) {
    FillNormal(blocks_);
    for (size_t b = 0; b < blocks_.rows(); ++b) pointers_.push_back(blocks_.view().Row(b));
  }
  std::span<const void* const> pointers() const { return pointers_; }

 private:
  Mat<float> blocks_;
  std::vector<const void*> pointers_;
};

constexpr AttentionShape kTextShape{16, 8, 128};

// One layer's attention over a prompt of `tokens`, after `context` tokens.
void BM_Prefill(benchmark::State& state) {
  const auto tokens = static_cast<size_t>(state.range(0));
  const auto context = static_cast<size_t>(state.range(1));
  const Cache cache(kTextShape, context + tokens);
  Mat<float> q(tokens, 16 * 128);
  Mat<float> out(tokens, 16 * 128);
  FillNormal(q);
  AttentionScratch scratch(kTextShape, 0, Pool().num_threads());
  const CausalSegment segment{q.view(), out.view(), cache.pointers(), context};
  const size_t pairs = tokens * context + tokens * (tokens + 1) / 2;
  RunBesideLimit(
      state, 4.0 * static_cast<double>(pairs * 16 * 128), "GFLOP/s",
      [&] {
        CausalAttention(kTextShape, {&segment, 1}, scratch, Pool());
      },
      FmaPeak);
}
BENCHMARK(BM_Prefill)
    ->ArgNames({"tokens", "context"})
    ->Args({512, 0})
    ->Args({512, 4096})
    ->UseManualTime();

// One layer's attention of one new token in each of `sequences`; `layers` caches in turn, so that
// each is read from memory as in a decode step.
void BM_Decode(benchmark::State& state) {
  const auto context = static_cast<size_t>(state.range(0));
  const auto layers = static_cast<size_t>(state.range(1));
  std::vector<Cache> caches;
  for (size_t layer = 0; layer < layers; ++layer) caches.emplace_back(kTextShape, context);
  Mat<float> q(1, 16 * 128);
  Mat<float> out(1, 16 * 128);
  FillNormal(q);
  AttentionScratch scratch(kTextShape, 0, Pool().num_threads());
  ReadBuffer memory(size_t{512} << 20, Pool());
  const auto bytes = static_cast<double>(layers * context * 8 * 256 * sizeof(float));
  RunBesideLimit(
      state, bytes, "GB/s",
      [&] {
        for (const Cache& cache : caches) {
          const CausalSegment segment{q.view(), out.view(), cache.pointers(), context - 1};
          CausalAttention(kTextShape, {&segment, 1}, scratch, Pool());
        }
      },
      [&] { return memory.MeasureBandwidth(0.02, Pool()); });
}
BENCHMARK(BM_Decode)
    ->ArgNames({"context", "layers"})
    ->Args({4096, 28})
    ->Args({512, 28})
    ->UseManualTime();

// Row-wise kernels, numbers a second on one thread; rows stay in cache. The input is renewed each
// time (that copy is in the figure), or kernels that work in place would fade to denormals.
template <class Kernel>
void RunRowKernel(benchmark::State& state, Kernel kernel) {
  const auto cols = static_cast<size_t>(state.range(0));
  ThreadPool alone(1);
  Mat<float> input(16, cols);
  Mat<float> x(16, cols);
  Mat<float> y(16, cols);
  FillNormal(input);
  FillNormal(y);
  for (auto _ : state) {
    std::copy_n(input.data(), 16 * cols, x.data());
    kernel(x, y, alone);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 16 * state.range(0));
}
void BM_RmsNorm(benchmark::State& state) {
  const std::vector<float> weight(static_cast<size_t>(state.range(0)), 1.0f);
  RunRowKernel(state, [&](Mat<float>& x, Mat<float>& y, ThreadPool& pool) {
    RmsNorm(x.view(), weight.data(), 1e-6f, y.view(), pool);
  });
}
void BM_LayerNorm(benchmark::State& state) {
  const std::vector<float> weight(static_cast<size_t>(state.range(0)), 1.0f);
  RunRowKernel(state, [&](Mat<float>& x, Mat<float>& y, ThreadPool& pool) {
    LayerNorm(x.view(), weight.data(), weight.data(), 1e-6f, y.view(), pool);
  });
}
void BM_NormRotate(benchmark::State& state) {
  const std::vector<float> weight(128, 1.0f);
  Mat<float> angles(16, 64);
  RunRowKernel(state, [&](Mat<float>& x, Mat<float>&, ThreadPool& pool) {
    NormRotateHeads(x.view(), 128, weight.data(), 1e-6f, angles.view(), angles.view(), pool);
  });
}
void BM_SiluMul(benchmark::State& state) {
  RunRowKernel(state, [](Mat<float>& x, Mat<float>& y, ThreadPool& pool) {
    SiluMul(x.view(), y.view(), pool);
  });
}
template <GeluKind kKind>
void BM_Gelu(benchmark::State& state) {
  RunRowKernel(state,
               [](Mat<float>& x, Mat<float>&, ThreadPool& pool) { Gelu(x.view(), kKind, pool); });
}
BENCHMARK(BM_RmsNorm)->Arg(2048);
BENCHMARK(BM_LayerNorm)->Arg(1024);
BENCHMARK(BM_NormRotate)->Arg(2048);
BENCHMARK(BM_SiluMul)->Arg(6144);
BENCHMARK(BM_Gelu<GeluKind::kTanh>)->Arg(4096);
BENCHMARK(BM_Gelu<GeluKind::kErf>)->Arg(4096);

}  // namespace
}  // namespace ocelli

BENCHMARK_MAIN();
