#include "kernels/norm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "kernels/reference/elementwise_reference.h"
#include "kernels/targets.h"
#include "kernels/test_targets.h"

namespace ocelli {
namespace {

using testing::OnEveryTarget;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kUnit = 0x1p-24;
constexpr float kEps = 1e-6f;

// Rows that start off alignment, NaN between them.
struct Rows {
  Rows(size_t rows, size_t cols, unsigned seed, float mean = 0.0f, float deviation = 1.0f)
      : memory((rows + 1) * (cols + 3), kNan), view(memory.data() + 1, rows, cols, cols + 3) {
    std::mt19937 rng(seed);
    std::normal_distribution<float> normal(mean, deviation);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < cols; ++c) view(r, c) = normal(rng);
    }
  }
  std::vector<float> memory;
  MatView<float> view;
};

std::vector<float> Numbers(size_t n, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<float> uniform(0.5f, 1.5f);
  std::vector<float> numbers(n);
  for (float& x : numbers) x = uniform(rng);
  return numbers;
}

// Largest |got - expected| in units of `allowed`(expected).
double WorstRatio(MatView<const float> got, MatView<const double> expected,
                  const std::function<double(double)>& allowed) {
  double worst = 0;
  for (size_t r = 0; r < got.rows(); ++r) {
    for (size_t c = 0; c < got.cols(); ++c) {
      const double ratio = std::abs(double{got(r, c)} - expected(r, c)) / allowed(expected(r, c));
      if (!(ratio <= worst)) worst = std::isnan(ratio) ? INFINITY : ratio;
    }
  }
  return worst;
}

const std::vector<size_t> kWidths = {1, 2, 7, 8, 15, 16, 17, 31, 63, 64, 65, 70, 80, 1024, 2048};

TEST(RmsNorm, IsWithinFourUnitsOfTheTwin) {
  OnEveryTarget([](Target) {
    ThreadPool pool(1);
    for (const size_t n : kWidths) {
      const Rows x(3, n, static_cast<unsigned>(n));
      const std::vector<float> weight = Numbers(n, 1);
      Mat<float> y(3, n);
      Mat<double> twin(3, n);
      RmsNorm(x.view, weight.data(), kEps, y.view(), pool);
      reference::RmsNorm(x.view, weight.data(), double{kEps}, twin.view());
      // Two products, the scale's rounding, and half of the sum's error, which is about one unit.
      EXPECT_LE(WorstRatio(y.view(), twin.view(), [](double e) { return 4 * kUnit * std::abs(e); }),
                1.0)
          << n;
    }
  });
}

TEST(RmsNorm, OfZerosIsZero) {
  ThreadPool pool(1);
  Mat<float> x(1, 40);
  const std::vector<float> weight(40, 1.0f);
  RmsNorm(x.view(), weight.data(), kEps, x.view(), pool);
  for (size_t c = 0; c < 40; ++c) EXPECT_EQ(x.view()(0, c), 0.0f);
}

TEST(LayerNorm, IsWithinFewUnitsOfTheTwin) {
  OnEveryTarget([](Target) {
    ThreadPool pool(1);
    for (const size_t n : kWidths) {
      const Rows x(3, n, static_cast<unsigned>(n));
      const std::vector<float> weight = Numbers(n, 1);
      const std::vector<float> bias = Numbers(n, 2);
      Mat<float> y(3, n);
      Mat<double> twin(3, n);
      LayerNorm(x.view, weight.data(), bias.data(), kEps, y.view(), pool);
      reference::LayerNorm(x.view, weight.data(), bias.data(), double{kEps}, twin.view());
      // Normalised numbers reach 4, times 1.5, plus 1.5; some four roundings at that size.
      EXPECT_LE(WorstRatio(y.view(), twin.view(), [](double) { return 8 * 4 * kUnit; }), 1.0) << n;
    }
  });
}

TEST(LayerNorm, LosesNothingFarFromZero) {
  OnEveryTarget([](Target) {
    ThreadPool pool(1);
    const size_t n = 1000;
    const Rows x(3, n, 5, 5000.0f, 1.0f);  // a rounded mean is off by up to 2.4e-4
    const std::vector<float> weight(n, 1.0f);
    const std::vector<float> bias(n, 0.0f);
    Mat<float> y(3, n);
    Mat<double> twin(3, n);
    LayerNorm(x.view, weight.data(), bias.data(), kEps, y.view(), pool);
    reference::LayerNorm(x.view, weight.data(), bias.data(), double{kEps}, twin.view());
    EXPECT_LE(WorstRatio(y.view(), twin.view(), [](double) { return 8 * 4 * kUnit; }), 1.0);
  });
}

TEST(NormRotateHeads, IsWithinFewUnitsOfTheTwin) {
  OnEveryTarget([](Target) {
    ThreadPool pool(1);
    for (const size_t head_dim : {2u, 32u, 64u, 72u, 128u}) {
      for (const bool norm : {true, false}) {
        Rows x(5, 3 * head_dim, static_cast<unsigned>(head_dim));
        const Rows angles(5, head_dim / 2, 9);
        Rows cos(5, head_dim / 2, 9);
        Rows sin(5, head_dim / 2, 9);
        for (size_t r = 0; r < 5; ++r) {
          for (size_t i = 0; i < head_dim / 2; ++i) {
            cos.view(r, i) = std::cos(angles.view(r, i));
            sin.view(r, i) = std::sin(angles.view(r, i));
          }
        }
        const std::vector<float> weight = Numbers(head_dim, 3);
        const float* norm_weight = norm ? weight.data() : nullptr;
        Mat<double> twin(5, 3 * head_dim);
        reference::NormRotateHeads(x.view, head_dim, norm_weight, double{kEps}, cos.view, sin.view,
                                   twin.view());
        NormRotateHeads(x.view, head_dim, norm_weight, kEps, cos.view, sin.view, pool);
        // Numbers up to 4 times 1.5; the norm's four units and two more of the rotation.
        EXPECT_LE(WorstRatio(x.view, twin.view(), [](double) { return 6 * 6 * kUnit; }), 1.0)
            << head_dim;
      }
    }
  });
}

// The kernels as functions of one matrix, for what they have in common.
using RowKernel = std::function<void(MatView<float> x, ThreadPool& pool)>;
std::vector<RowKernel> AllKernels(size_t cols, size_t rows) {
  const auto weight = std::make_shared<std::vector<float>>(Numbers(cols, 1));
  const auto cos = std::make_shared<Rows>(rows, 36, 2);
  const auto view = [cos](MatView<float> x) { return cos->view.Rows(0, x.rows()); };
  return {
      [weight](MatView<float> x, ThreadPool& pool) { RmsNorm(x, weight->data(), kEps, x, pool); },
      [weight](MatView<float> x, ThreadPool& pool) {
        LayerNorm(x, weight->data(), weight->data(), kEps, x, pool);
      },
      [weight, view](MatView<float> x, ThreadPool& pool) {
        NormRotateHeads(x, 72, weight->data(), kEps, view(x), view(x), pool);
      }};
}

TEST(Norms, RowsDoNotDependOnEachOtherOrOnThreads) {
  constexpr size_t kRows = 300;
  constexpr size_t kCols = 144;
  ThreadPool alone(1);
  ThreadPool team(3);
  for (const RowKernel& kernel : AllKernels(kCols, kRows)) {
    Rows all(kRows, kCols, 4);
    Rows shared = all;
    shared.view = MatView<float>(shared.memory.data() + 1, kRows, kCols, kCols + 3);
    Rows first = all;
    first.view = MatView<float>(first.memory.data() + 1, 1, kCols, kCols + 3);
    kernel(all.view, alone);
    const uint64_t jobs = team.num_jobs();
    kernel(shared.view, team);
    EXPECT_EQ(team.num_jobs(), jobs + 1);  // large enough to share out
    kernel(first.view, team);
    EXPECT_EQ(team.num_jobs(), jobs + 1);  // one row is not
    EXPECT_EQ(std::memcmp(all.memory.data(), shared.memory.data(), all.memory.size() * 4), 0);
    EXPECT_EQ(std::memcmp(all.view.Row(0), first.view.Row(0), kCols * 4), 0);
    EXPECT_TRUE(std::isnan(all.memory[0]) && std::isnan(all.view.Row(0)[kCols]));
  }
}

TEST(Norms, Avx2AndAvx512GiveTheSameBits) {
  if (RunnableTargets().front() != Target::kAvx512) GTEST_SKIP() << "needs AVX-512";
  ThreadPool pool(1);
  for (const RowKernel& kernel : AllKernels(216, 5)) {
    std::vector<float> results[2];
    for (const Target target : {Target::kAvx2, Target::kAvx512}) {
      const ScopedTarget scope(target);
      Rows x(5, 216, 6);
      kernel(x.view, pool);
      results[target == Target::kAvx512] = x.memory;
    }
    EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * 4), 0);
  }
}

}  // namespace
}  // namespace ocelli
