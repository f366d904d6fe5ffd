#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/attention_rows.h"
#include "kernels/reference/attention_reference.h"
#include "kernels/targets.h"
#include "kernels/test_targets.h"

namespace ocelli {
namespace {

using testing::OnEveryTarget;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kUnit = 0x1p-24;  // half a unit in the last place of 1

// A matrix whose rows are not aligned, with NaN around what belongs to it.
class Loose {
 public:
  Loose(size_t rows, size_t cols) : cols_(cols), memory_((rows + 1) * (cols + 3), kNan) {
    view_ = MatView<float>(memory_.data() + 1, rows, cols, cols + 3);
  }
  void Fill(std::mt19937& rng, float scale = 1.0f) {
    std::normal_distribution<float> normal(0.0f, scale);
    for (size_t r = 0; r < view_.rows(); ++r) {
      for (size_t c = 0; c < cols_; ++c) view_(r, c) = normal(rng);
    }
  }
  MatView<float> view() const { return view_; }
  bool SurroundingsAreUntouched() const {
    size_t nans = 0;
    for (const float x : memory_) nans += std::isnan(x);
    return nans >= memory_.size() - view_.rows() * cols_;
  }

 private:
  size_t cols_;
  std::vector<float> memory_;
  MatView<float> view_;
};

// One sequence: queries, keys and values by token, and its KV blocks, NaN where nothing was stored.
struct Sequence {
  Sequence(const AttentionShape& s, size_t n, unsigned seed, float scale = 1.0f)
      : shape(s),
        q(n, s.heads * s.head_dim),
        k(n, s.kv_heads * s.head_dim),
        v(n, s.kv_heads * s.head_dim),
        blocks((n + kKvBlockTokens - 1) / kKvBlockTokens,
               std::vector<std::byte>(KvBlockBytes(s), std::byte{0xFF})) {
    std::mt19937 rng(seed);
    q.Fill(rng, scale);
    k.Fill(rng);
    v.Fill(rng);
    for (const auto& block : blocks) pointers.push_back(block.data());
    for (size_t t = 0; t < n; ++t) Store(t);
  }
  void Store(size_t t) {
    StoreKv(shape, k.view().Row(t), v.view().Row(t), blocks[t / kKvBlockTokens].data(),
            t % kKvBlockTokens);
  }
  size_t size() const { return q.view().rows(); }

  AttentionShape shape;
  Loose q, k, v;
  std::vector<std::vector<std::byte>> blocks;
  std::vector<const void*> pointers;
};

// Runs the sequence in calls of `chunk` rows.
Mat<float> RunCausal(const Sequence& s, size_t chunk, int threads = 1) {
  ThreadPool pool(threads);
  AttentionScratch scratch(s.shape, 0, threads);
  Mat<float> out(s.size(), s.shape.heads * s.shape.head_dim);
  for (size_t begin = 0; begin < s.size(); begin += chunk) {
    const size_t count = std::min(chunk, s.size() - begin);
    const CausalSegment segment{s.q.view().Rows(begin, count), out.view().Rows(begin, count),
                                s.pointers, begin};
    CausalAttention(s.shape, {&segment, 1}, scratch, pool);
  }
  return out;
}

Mat<double> CausalTwin(const Sequence& s) {
  Mat<double> out(s.size(), s.shape.heads * s.shape.head_dim);
  reference::CausalAttention(s.shape.heads, s.shape.kv_heads, s.shape.head_dim, 0, s.q.view(),
                             s.k.view(), s.v.view(), out.view());
  return out;
}

Mat<float> RunFull(const Sequence& s, int threads = 1) {
  ThreadPool pool(threads);
  AttentionScratch scratch(s.shape, s.size(), threads);
  Mat<float> out(s.size(), s.shape.heads * s.shape.head_dim);
  FullAttention(s.shape, s.q.view(), s.k.view(), s.v.view(), out.view(), scratch, pool);
  return out;
}

Mat<double> FullTwin(const Sequence& s) {
  Mat<double> out(s.size(), s.shape.heads * s.shape.head_dim);
  reference::FullAttention(s.shape.heads, s.shape.head_dim, s.q.view(), s.k.view(), s.v.view(),
                           out.view());
  return out;
}

double MaxError(MatView<const float> got, MatView<const double> expected) {
  double worst = 0;
  for (size_t r = 0; r < got.rows(); ++r) {
    for (size_t c = 0; c < got.cols(); ++c) {
      const double error = std::abs(double{got(r, c)} - expected(r, c));
      if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
    }
  }
  return worst;
}

// A score is a chain of head_dim fused steps, each rounded at the size of the sum so far, so for
// normal numbers its error is about head_dim / 2 * unit, and that error divided by sqrt(head_dim)
// is a relative error of the weight. Values of size up to 5 pass it on; sums over tokens add a few
// units. The factor 4 is the distance from typical to never seen.
double ErrorBound(size_t head_dim, double query_scale = 1.0) {
  return 4 * 5 * kUnit * (query_scale * std::sqrt(static_cast<double>(head_dim)) / 2 + 4);
}

bool SameBits(const Mat<float>& a, const Mat<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), a.rows() * a.cols() * sizeof(float)) == 0;
}

TEST(KvBlock, PadsValuesWithZerosAndTouchesOneSlot) {
  const AttentionShape shape{2, 2, 72};
  std::vector<float> k(2 * 72, 1.0f), v(2 * 72, 2.0f),
      block(KvBlockBytes(shape) / sizeof(float), kNan);
  StoreKv(shape, k.data(), v.data(), block.data(), 19);
  EXPECT_EQ(std::ranges::count(block, 1.0f), 2 * 72);
  EXPECT_EQ(std::ranges::count(block, 2.0f), 2 * 72);
  EXPECT_EQ(std::ranges::count(block, 0.0f), 2 * 8);
  EXPECT_EQ(block[(72 + 5) * 16 + 3], 1.0f);                 // panel 1, channel 5, lane 3
  EXPECT_EQ(block[32 * 72 + (4 * 32 + 19) * 16 + 7], 2.0f);  // channel 71 of token 19
  EXPECT_EQ(block[32 * 72 + (4 * 32 + 19) * 16 + 8], 0.0f);  // first channel of padding
}

TEST(CausalAttention, AgreesWithTheTwin) {
  OnEveryTarget([](Target) {
    for (const size_t head_dim : {32u, 64u, 72u, 128u}) {
      for (const auto& [heads, kv_heads] : std::vector<std::pair<size_t, size_t>>{
               {1, 1}, {4, 1}, {6, 2}, {5, 5}, {16, 8}, {7, 1}}) {
        for (const size_t n : {1u, 2u, 15u, 17u, 32u, 33u, 70u}) {
          const Sequence s({heads, kv_heads, head_dim}, n, static_cast<unsigned>(n + head_dim));
          ASSERT_LT(MaxError(RunCausal(s, n).view(), CausalTwin(s).view()), ErrorBound(head_dim))
              << heads << "/" << kv_heads << " heads of " << head_dim << ", " << n << " tokens";
        }
      }
    }
  });
}

TEST(CausalAttention, AgreesWithTheTwinOverSeveralSoftmaxSteps) {
  OnEveryTarget([](Target) {
    for (const size_t n : {127u, 128u, 129u, 300u}) {
      const Sequence s({4, 2, 64}, n, 3);
      ASSERT_LT(MaxError(RunCausal(s, n).view(), CausalTwin(s).view()), ErrorBound(64)) << n;
    }
  });
}

TEST(CausalAttention, AgreesWithTheTwinWhereOneTokenTakesAll) {
  OnEveryTarget([](Target) {
    const Sequence s({4, 2, 64}, 200, 4, 60.0f);  // scores up to some hundreds
    ASSERT_LT(MaxError(RunCausal(s, 200).view(), CausalTwin(s).view()), ErrorBound(64, 60.0));
  });
}

TEST(CausalAttention, ManyQueryHeadsOfOneKvHeadFillMoreThanABlock) {
  OnEveryTarget([](Target) {
    const Sequence s({101, 1, 32}, 3, 5);
    ASSERT_LT(MaxError(RunCausal(s, 3).view(), CausalTwin(s).view()), ErrorBound(32));
  });
}

TEST(CausalAttention, ChunksOfAnySizeGiveTheSameBits) {
  OnEveryTarget([](Target) {
    for (const AttentionShape& shape : {AttentionShape{4, 2, 72}, AttentionShape{7, 1, 64}}) {
      const Sequence s(shape, 150, 6);
      const Mat<float> whole = RunCausal(s, 150);
      for (const size_t chunk : {1u, 7u, 32u, 100u}) {
        EXPECT_TRUE(SameBits(RunCausal(s, chunk), whole)) << "chunks of " << chunk;
      }
    }
  });
}

// Returns a sequence whose keys and values are those of `s` rounded to bf16 numbers, kept as
// `type`.
Sequence Rounded(const Sequence& s, KvType type) {
  AttentionShape shape = s.shape;
  shape.kv_type = type;
  Sequence rounded(shape, s.size(), 1);
  for (size_t t = 0; t < s.size(); ++t) {
    std::copy_n(s.q.view().Row(t), s.q.view().cols(), rounded.q.view().Row(t));
    for (size_t c = 0; c < s.k.view().cols(); ++c) {
      rounded.k.view()(t, c) = ToFloat(RoundToBf16(s.k.view()(t, c)));
      rounded.v.view()(t, c) = ToFloat(RoundToBf16(s.v.view()(t, c)));
    }
    rounded.Store(t);
  }
  return rounded;
}

TEST(CausalAttention, Bf16BlocksEqualFloat32BlocksOfTheSameNumbers) {
  OnEveryTarget([](Target) {
    for (const AttentionShape shape : {AttentionShape{4, 2, 64}, AttentionShape{6, 2, 72},
                                       AttentionShape{16, 8, 128}, AttentionShape{3, 1, 20}}) {
      AttentionShape bf16_shape = shape;
      bf16_shape.kv_type = KvType::kBf16;
      const Sequence given(bf16_shape, 150, 12);  // rounds when it stores
      const Mat<float> expected = RunCausal(Rounded(given, KvType::kFloat32), 150);
      for (const size_t chunk : {1u, 7u, 150u}) {
        EXPECT_TRUE(SameBits(RunCausal(given, chunk), expected)) << shape.head_dim << ' ' << chunk;
      }
    }
  });
}

TEST(CausalAttention, ThreadsDoNotChangeTheBits) {
  const Sequence s({8, 4, 64}, 140, 7);
  const Mat<float> alone = RunCausal(s, 140);
  for (const int threads : {2, 3, 5}) EXPECT_TRUE(SameBits(RunCausal(s, 140, threads), alone));
}

TEST(CausalAttention, SegmentsTogetherEqualEachAlone) {
  OnEveryTarget([](Target) {
    const AttentionShape shape{6, 2, 64};
    const std::vector<size_t> lengths = {1, 33, 150, 64, 2};
    std::vector<Sequence> sequences;
    std::vector<Mat<float>> alone, together;
    std::vector<CausalSegment> segments;
    for (const size_t n : lengths) sequences.emplace_back(shape, n, static_cast<unsigned>(n));
    for (size_t i = 0; i < lengths.size(); ++i) {
      Sequence& s = sequences[i];
      s.pointers.clear();  // the blocks moved with the vector
      for (const auto& block : s.blocks) s.pointers.push_back(block.data());
      alone.push_back(RunCausal(s, s.size()));
      together.emplace_back(s.size(), shape.heads * shape.head_dim);
      // The odd ones are decode steps: only their last row is new.
      const size_t first = i % 2 == 1 ? s.size() - 1 : 0;
      const size_t count = s.size() - first;
      segments.push_back({sequences[i].q.view().Rows(first, count),
                          together[i].view().Rows(first, count), s.pointers, first});
    }
    ThreadPool pool(3);
    AttentionScratch scratch(shape, 0, 3);
    CausalAttention(shape, segments, scratch, pool);
    for (size_t i = 0; i < lengths.size(); ++i) {
      const size_t first = segments[i].first_token;
      const size_t floats = (lengths[i] - first) * shape.heads * shape.head_dim;
      EXPECT_EQ(std::memcmp(together[i].view().Row(first), alone[i].view().Row(first),
                            floats * sizeof(float)),
                0)
          << "segment " << i;
    }
  });
}

TEST(CausalAttention, BrokenLaterTokensDoNotReachEarlierRows) {
  OnEveryTarget([](Target) {
    Sequence s({4, 2, 64}, 60, 8);
    const Mat<float> healthy = RunCausal(s, 60);
    for (size_t c = 0; c < 128; ++c) {
      s.k.view()(50, c) = c % 2 == 0 ? INFINITY : kNan;
      s.v.view()(50, c) = c % 3 == 0 ? -INFINITY : kNan;
    }
    s.Store(50);
    const Mat<float> broken = RunCausal(s, 60);
    EXPECT_EQ(std::memcmp(broken.data(), healthy.data(), 50 * 4 * 64 * sizeof(float)), 0);
    for (size_t c = 0; c < 4 * 64; ++c) EXPECT_TRUE(std::isnan(broken.view()(50, c)));
  });
}

TEST(CausalAttention, MayWriteOverItsQueries) {
  OnEveryTarget([](Target) {
    const Sequence s({6, 2, 72}, 70, 9);
    const Mat<float> apart = RunCausal(s, 70);
    ThreadPool pool(2);
    AttentionScratch scratch(s.shape, 0, 2);
    const CausalSegment segment{s.q.view(), s.q.view(), s.pointers, 0};
    CausalAttention(s.shape, {&segment, 1}, scratch, pool);
    for (size_t r = 0; r < 70; ++r) {
      ASSERT_EQ(std::memcmp(s.q.view().Row(r), apart.view().Row(r), 6 * 72 * sizeof(float)), 0);
    }
    EXPECT_TRUE(s.q.SurroundingsAreUntouched());
  });
}

// Attention as a plain float32 program does it: scores scaled, largest subtracted, chains of sums.
void PlainHead(const float* q, MatView<const float> k, MatView<const float> v, size_t visible,
               float* out) {
  std::vector<float> weights(visible);
  for (size_t t = 0; t < visible; ++t) {
    float dot = 0;
    for (size_t d = 0; d < k.cols(); ++d) dot += q[d] * k(t, d);
    weights[t] = dot * static_cast<float>(1.0 / std::sqrt(static_cast<double>(k.cols())));
  }
  const float largest = *std::ranges::max_element(weights);
  float sum = 0;
  for (float& weight : weights) sum += weight = std::exp(weight - largest);
  for (size_t d = 0; d < v.cols(); ++d) {
    float total = 0;
    for (size_t t = 0; t < visible; ++t) total += weights[t] / sum * v(t, d);
    out[d] = total;
  }
}

TEST(CausalAttention, IsMoreExactThanPlainFloat32) {
  const size_t n = 600;
  const Sequence s({2, 2, 128}, n, 10, 4.0f);
  const Mat<double> twin = CausalTwin(s);
  Mat<float> plain(n, 256);
  for (size_t r = 0; r < n; ++r) {
    for (size_t column : {0u, 128u}) {
      PlainHead(s.q.view().Row(r) + column, s.k.view().Cols(column, 128),
                s.v.view().Cols(column, 128), r + 1, plain.view().Row(r) + column);
    }
  }
  const double plain_error = MaxError(plain.view(), twin.view());
  OnEveryTarget(
      [&](Target) { EXPECT_LT(MaxError(RunCausal(s, n).view(), twin.view()), plain_error); });
}

TEST(FullAttention, AgreesWithTheTwinForEveryRemainder) {
  OnEveryTarget([](Target) {
    for (const size_t head_dim : {32u, 64u, 72u, 128u}) {
      for (size_t n = 1; n <= 70; n += head_dim == 72 ? 1 : 11) {
        const Sequence s({2, 2, head_dim}, n, static_cast<unsigned>(n));
        ASSERT_LT(MaxError(RunFull(s).view(), FullTwin(s).view()), ErrorBound(head_dim))
            << n << " rows of " << head_dim;
      }
    }
  });
}

TEST(FullAttention, AgreesWithTheTwinOverSeveralBlocksAndHeads) {
  OnEveryTarget([](Target) {
    for (size_t heads = 1; heads <= 8; heads += 3) {
      const Sequence s({heads, heads, 64}, 333, static_cast<unsigned>(heads));
      ASSERT_LT(MaxError(RunFull(s, 2).view(), FullTwin(s).view()), ErrorBound(64)) << heads;
    }
  });
}

TEST(FullAttention, ThreadsDoNotChangeTheBits) {
  const Sequence s({5, 5, 72}, 230, 11);
  const Mat<float> alone = RunFull(s);
  for (const int threads : {2, 3, 8}) EXPECT_TRUE(SameBits(RunFull(s, threads), alone));
}

TEST(FullAttention, MayWriteOverItsQueries) {
  const Sequence s({3, 3, 64}, 150, 12);
  const Mat<float> apart = RunFull(s);
  ThreadPool pool(2);
  AttentionScratch scratch(s.shape, 150, 2);
  FullAttention(s.shape, s.q.view(), s.k.view(), s.v.view(), s.q.view(), scratch, pool);
  for (size_t r = 0; r < 150; ++r) {
    ASSERT_EQ(std::memcmp(s.q.view().Row(r), apart.view().Row(r), 3 * 64 * sizeof(float)), 0);
  }
}

TEST(FullAttention, WorksForEveryLengthThatItsScratchAllows) {
  const AttentionShape shape{16, 16, 32};
  ThreadPool pool(4);
  AttentionScratch scratch(shape, 400, 4);
  for (const size_t n : {1u, 31u, 96u, 97u, 200u, 399u, 400u}) {
    const Sequence s(shape, n, 13);
    Mat<float> out(n, 16 * 32);
    FullAttention(shape, s.q.view(), s.k.view(), s.v.view(), out.view(), scratch, pool);
    EXPECT_TRUE(SameBits(out, RunFull(s))) << n;
  }
}

TEST(FullAttention, ScratchHoldsFewHeadsAtATime) {
  const AttentionShape shape{16, 16, 64};
  EXPECT_LT(AttentionScratch::BytesFor(shape, 16384, 2), size_t{2} * 16384 * 128 * sizeof(float));
}

TEST(Attention, Avx2AndAvx512GiveTheSameBits) {
  if (RunnableTargets().front() != Target::kAvx512) GTEST_SKIP() << "needs AVX-512";
  const Sequence causal({6, 2, 72}, 170, 14);
  const Sequence full({2, 2, 72}, 170, 15);
  const auto run = [&](Target target, auto f) {
    const ScopedTarget scope(target);
    return f();
  };
  const auto run_causal = [&] { return RunCausal(causal, 170); };
  const auto run_full = [&] { return RunFull(full); };
  EXPECT_TRUE(SameBits(run(Target::kAvx2, run_causal), run(Target::kAvx512, run_causal)));
  EXPECT_TRUE(SameBits(run(Target::kAvx2, run_full), run(Target::kAvx512, run_full)));
}

}  // namespace
}  // namespace ocelli
