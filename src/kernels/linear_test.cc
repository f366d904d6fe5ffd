#include "kernels/linear.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/bf16.h"
#include "gtest/gtest.h"
#include "kernels/reference/linear_reference.h"
#include "kernels/targets.h"

namespace ocelli {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kPoison = -12345.5f;  // what lies around outputs, and must stay

// Rows with strangers between and around them, starting off any alignment.
class Rows {
 public:
  Rows(size_t rows, size_t cols, float around)
      : around_(around), rows_(rows), cols_(cols), data_(kMargin + rows * (cols + kGap), around) {}
  MatView<float> view() { return {data_.data() + kMargin, rows_, cols_, cols_ + kGap}; }
  MatView<const float> view() const { return {data_.data() + kMargin, rows_, cols_, cols_ + kGap}; }
  // Returns true when nothing around the rows was written (NaN around: not asked for).
  bool SurroundingsIntact() const {
    for (size_t i = 0; i < data_.size(); ++i) {
      const bool inside = i >= kMargin && (i - kMargin) % (cols_ + kGap) < cols_;
      if (!inside && data_[i] != around_) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kMargin = 3, kGap = 5;
  float around_;
  size_t rows_, cols_;
  std::vector<float> data_;
};

void FillNormal(MatView<float> x, std::minstd_rand& random) {
  std::normal_distribution<float> normal;
  for (size_t r = 0; r < x.rows(); ++r) {
    for (size_t c = 0; c < x.cols(); ++c) x(r, c) = normal(random);
  }
}

// A layer with random weights, and a batch for it.
struct Problem {
  Problem(size_t m, size_t k, size_t n, WeightFormat weight_format = WeightFormat::kBf16)
      : x(m, k, kNan), old_y(m, n, kPoison), weights(n, k), bias(n), format(weight_format) {
    std::minstd_rand random(static_cast<unsigned>(m * 7919 + k * 31 + n));
    FillNormal(x.view(), random);
    FillNormal(old_y.view(), random);
    FillNormal(weights.view(), random);
    FillNormal(MatView<float>(bias.data(), 1, n), random);
    if (format == WeightFormat::kFloat32) return;
    for (size_t i = 0; i < n * k; ++i) weights.data()[i] = ToFloat(RoundToBf16(weights.data()[i]));
    if (format == WeightFormat::kPacked12) AddRareExponents();
  }

  // Makes every 23rd weight one of many sizes: more exponents than a table of 12-bit weights has.
  void AddRareExponents() {
    for (size_t i = 0; i < weights.rows() * weights.cols(); i += 23) {
      weights.data()[i] = std::ldexp(weights.data()[i], static_cast<int>(i % 61) - 58);
    }
  }

  PackedMatrix Pack(ThreadPool& pool) const {
    const bool packed12 = format == WeightFormat::kPacked12;
    PackedMatrix packed(weights.rows(), weights.cols(), packed12 ? WeightFormat::kBf16 : format);
    const std::span<const float> numbers(weights.data(), weights.rows() * weights.cols());
    packed.SetRows(0, {DType::kFloat32, {weights.rows(), weights.cols()}, std::as_bytes(numbers)},
                   pool);
    return packed12 ? packed.Compressed(pool) : std::move(packed);
  }

  Rows x, old_y;
  Mat<float> weights;
  std::vector<float> bias;
  WeightFormat format;
};

struct How {
  Target target = RunnableTargets().front();
  int threads = 1;
  LinearMode mode = LinearMode::kStore;
  bool bias = true;
  size_t chunk = std::numeric_limits<size_t>::max();  // rows per call
};

// Runs Linear and checks that nothing beside the outputs was touched.
Rows Multiply(const Problem& problem, const How& how) {
  const ScopedTarget scope(how.target);
  ThreadPool pool(how.threads);
  const PackedMatrix packed = problem.Pack(pool);
  const MatView<const float> x = problem.x.view();
  LinearScratch scratch(x.rows(), x.cols(), how.threads);
  Rows y = problem.old_y;
  for (size_t begin = 0; begin < x.rows(); begin += std::min(how.chunk, x.rows() - begin)) {
    const size_t count = std::min(how.chunk, x.rows() - begin);
    Linear(x.Rows(begin, count), packed, how.bias ? problem.bias.data() : nullptr,
           y.view().Rows(begin, count), how.mode, scratch, pool);
  }
  EXPECT_TRUE(y.SurroundingsIntact());
  return y;
}

constexpr WeightFormat kFormats[] = {WeightFormat::kBf16, WeightFormat::kFloat32,
                                     WeightFormat::kPacked12};

std::string Name(const Problem& problem, const How& how) {
  return std::string(TargetName(how.target)) + " M=" + std::to_string(problem.x.view().rows()) +
         " K=" + std::to_string(problem.x.view().cols()) +
         " N=" + std::to_string(problem.weights.rows()) + " " +
         std::string(WeightFormatName(problem.format)) + (how.bias ? " bias" : "") +
         (how.mode == LinearMode::kAdd ? " add" : "");
}

// Every output is within the rounding that its sum order allows: a block's chain, the blocks, the
// bias and the residual each round once. On average errors are far smaller.
void ExpectNearReference(const Problem& problem, const How& how) {
  const Rows y = Multiply(problem, how);
  const size_t m = y.view().rows(), n = y.view().cols();
  const size_t k = problem.x.view().cols();
  Mat<double> exact(m, n), magnitude(m, n);
  const float* bias = how.bias ? problem.bias.data() : nullptr;
  reference::Linear(problem.x.view(), problem.weights.view(), bias, exact.view());
  reference::LinearMagnitude(problem.x.view(), problem.weights.view(), bias, magnitude.view());
  const size_t roundings = std::min(k, kSumBlockInputs) + k / kSumBlockInputs + 3;
  const double unit = 0x1p-24;
  double worst = 0, sum_of_squares = 0;
  for (size_t r = 0; r < m; ++r) {
    for (size_t c = 0; c < n; ++c) {
      double scale = magnitude.view()(r, c);
      double want = exact.view()(r, c);
      if (how.mode == LinearMode::kAdd) {
        want += double{problem.old_y.view()(r, c)};
        scale += std::abs(double{problem.old_y.view()(r, c)});
      }
      const double error = std::abs(double{y.view()(r, c)} - want) / (unit * scale);
      ASSERT_FALSE(std::isnan(error)) << Name(problem, how) << " at " << r << ", " << c;
      worst = std::max(worst, error);
      sum_of_squares += error * error;
    }
  }
  EXPECT_LE(worst, static_cast<double>(roundings)) << Name(problem, how);
  EXPECT_LE(worst, 8.0) << Name(problem, how);
  EXPECT_LE(std::sqrt(sum_of_squares / static_cast<double>(m * n)), 1.0) << Name(problem, how);
}

void ExpectSameBits(const Rows& a, const Rows& b, const std::string& name) {
  for (size_t r = 0; r < a.view().rows(); ++r) {
    for (size_t c = 0; c < a.view().cols(); ++c) {
      ASSERT_EQ(std::bit_cast<uint32_t>(a.view()(r, c)), std::bit_cast<uint32_t>(b.view()(r, c)))
          << name << " at " << r << ", " << c;
    }
  }
}

// The documented order, one output at a time.
float SumInOrder(const Problem& problem, size_t row, size_t output) {
  const MatView<const float> x = problem.x.view();
  float total = 0;
  for (size_t begin = 0; begin < x.cols(); begin += kSumBlockInputs) {
    float block = 0;
    for (size_t k = begin; k < std::min(x.cols(), begin + kSumBlockInputs); ++k) {
      block = std::fma(x(row, k), problem.weights.view()(output, k), block);
    }
    total = begin == 0 ? block : total + block;
  }
  return total + problem.bias[output];
}

std::vector<Target> FmaTargets() {
  std::vector<Target> targets;
  for (const Target target : RunnableTargets()) {
    if (target != Target::kScalar) targets.push_back(target);
  }
  return targets;
}

TEST(Linear, EveryRowCountMatchesTheReferenceOnEveryTarget) {
  for (const Target target : RunnableTargets()) {
    for (size_t m = 1; m <= 40; ++m) {
      for (const WeightFormat format : kFormats) {
        ExpectNearReference(Problem(m, 300, 50, format), {.target = target});
      }
    }
  }
}

TEST(Linear, OddSizesMatchTheReferenceOnEveryTarget) {
  constexpr size_t kSizes[][2] = {{1, 1},    {2, 15},   {127, 16},  {128, 17},  {129, 31},
                                  {255, 32}, {256, 33}, {513, 100}, {640, 144}, {1025, 49}};
  for (const Target target : RunnableTargets()) {
    for (const auto& [k, n] : kSizes) {
      for (const size_t m : {1u, 3u, 6u, 13u, 29u, 61u}) {
        for (const LinearMode mode : {LinearMode::kStore, LinearMode::kAdd}) {
          for (const WeightFormat format : {WeightFormat::kBf16, WeightFormat::kPacked12}) {
            ExpectNearReference(Problem(m, k, n, format),
                                {.target = target, .mode = mode, .bias = (k + m) % 2 == 0});
          }
        }
      }
    }
  }
}

TEST(Linear, ManyRowsInSeveralTurnsMatchTheReference) {
  for (const Target target : RunnableTargets()) {
    ExpectNearReference(Problem(2100, 40, 40), {.target = target, .threads = 2});
    ExpectNearReference(Problem(530, 200, 300, WeightFormat::kFloat32),
                        {.target = target, .threads = 2});
  }
}

TEST(Linear, SumsInTheDocumentedOrderBitForBit) {
  for (const Target target : FmaTargets()) {
    for (const size_t m : {1u, 2u, 4u, 7u, 14u, 15u, 40u, 300u}) {
      const Problem problem(m, 900, 45);
      const Rows y = Multiply(problem, {.target = target});
      for (size_t r = 0; r < m; r += std::max<size_t>(1, m / 8)) {
        for (size_t n = 0; n < 45; ++n) {
          ASSERT_EQ(y.view()(r, n), SumInOrder(problem, r, n))
              << TargetName(target) << " M=" << m << " at " << r << ", " << n;
        }
      }
    }
  }
}

TEST(Linear, FmaTargetsGiveTheSameBits) {
  for (const size_t m : {1u, 5u, 16u, 70u, 441u}) {
    for (const WeightFormat format : kFormats) {
      const Problem problem(m, 700, 145, format);
      const Rows best = Multiply(problem, {});
      for (const Target target : FmaTargets()) {
        const How how{.target = target};
        ExpectSameBits(Multiply(problem, how), best, Name(problem, how));
      }
    }
  }
}

TEST(Linear, EveryWeightFormatGivesTheSameBits) {
  for (const Target target : RunnableTargets()) {
    for (const size_t m : {1u, 3u, 8u, 60u}) {
      Problem problem(m, 600, 77);
      // Fourteen exponents: what 12 bits hold without escapes, which are added in an order of their
      // own.
      for (size_t i = 0; i < 600 * 77; ++i) {
        problem.weights.data()[i] = std::ldexp(
            std::copysign(1.0f + 0.5f * static_cast<float>(i % 2), i % 3 == 0 ? -1.0f : 1.0f),
            static_cast<int>(i * 7 % 14) - 12);
      }
      const Rows bf16 = Multiply(problem, {.target = target});
      for (const WeightFormat format : {WeightFormat::kFloat32, WeightFormat::kPacked12}) {
        problem.format = format;
        ExpectSameBits(Multiply(problem, {.target = target}), bf16,
                       Name(problem, {.target = target}));
      }
    }
  }
}

TEST(Linear, EscapesAreAddedLastInTheirBlock) {
  // Two weights of one block: 1 and an escape of 2^-30, which is lost when it comes first.
  for (const Target target : FmaTargets()) {
    for (const size_t m : {1u, 20u, 60u}) {
      Problem problem(m, 128, 16, WeightFormat::kPacked12);
      std::fill(problem.bias.begin(), problem.bias.end(), 0.0f);
      for (size_t i = 0; i < 128 * 16; ++i) {
        // Sixteen frequent exponents and one rare one, at input 3 of output 5.
        problem.weights.data()[i] = std::ldexp(1.0f, -static_cast<int>(i % 15));
      }
      problem.weights.data()[5 * 128 + 3] = 0x1p-40f;
      float want = 0;
      for (size_t k = 0; k < 128; ++k) {
        if (k != 3)
          want = std::fma(problem.x.view()(m - 1, k), problem.weights.data()[5 * 128 + k], want);
      }
      want = std::fma(problem.x.view()(m - 1, 3), 0x1p-40f, want);
      EXPECT_EQ(Multiply(problem, {.target = target}).view()(m - 1, 5), want);
    }
  }
}

TEST(Linear, RowsDoNotDependOnTheirBatch) {
  for (const Target target : RunnableTargets()) {
    for (const auto& [m, format] :
         {std::pair(41u, WeightFormat::kBf16), std::pair(300u, WeightFormat::kBf16),
          std::pair(300u, WeightFormat::kPacked12)}) {
      const Problem problem(m, 520, 90, format);
      const Rows whole = Multiply(problem, {.target = target});
      for (const size_t chunk : {1u, 2u, 5u, 7u, 13u, 32u}) {
        ExpectSameBits(Multiply(problem, {.target = target, .chunk = chunk}), whole,
                       Name(problem, {.target = target}) + " chunk " + std::to_string(chunk));
      }
    }
  }
}

TEST(Linear, ThreadCountDoesNotChangeBits) {
  for (const Target target : RunnableTargets()) {
    for (const size_t m : {1u, 6u, 33u, 600u}) {
      const Problem problem(m, 384, 400,
                            m % 2 == 0 ? WeightFormat::kBf16 : WeightFormat::kPacked12);
      const Rows one = Multiply(problem, {.target = target});
      for (const int threads : {2, 3}) {
        ExpectSameBits(Multiply(problem, {.target = target, .threads = threads}), one,
                       Name(problem, {.target = target}) + " threads " + std::to_string(threads));
      }
    }
  }
}

TEST(Linear, AddsTheFinishedSumToWhatWasThere) {
  for (const Target target : RunnableTargets()) {
    for (const size_t m : {1u, 9u, 50u}) {
      const Problem problem(m, 260, 37);
      Rows want = Multiply(problem, {.target = target});
      for (size_t r = 0; r < m; ++r) {
        for (size_t n = 0; n < 37; ++n) want.view()(r, n) += problem.old_y.view()(r, n);
      }
      const How how{.target = target, .mode = LinearMode::kAdd};
      ExpectSameBits(Multiply(problem, how), want, Name(problem, how));
    }
  }
}

TEST(Linear, NanAndInfinityReachTheirRowOnly) {
  for (const Target target : RunnableTargets()) {
    for (const size_t m : {1u, 5u, 40u}) {
      Problem problem(m, 200, 33);
      const Rows clean = Multiply(problem, {.target = target});
      problem.x.view()(m / 2, 130) = kNan;
      problem.x.view()(m - 1, 7) = std::numeric_limits<float>::infinity();
      const Rows y = Multiply(problem, {.target = target});
      for (size_t r = 0; r < m; ++r) {
        for (size_t n = 0; n < 33; ++n) {
          const float value = y.view()(r, n);
          if (r == m / 2) {
            EXPECT_TRUE(std::isnan(value));
          } else if (r == m - 1) {
            EXPECT_EQ(value, std::copysign(std::numeric_limits<float>::infinity(),
                                           problem.weights.view()(n, 7)));
          } else {
            EXPECT_EQ(value, clean.view()(r, n));
          }
        }
      }
    }
  }
}

TEST(Linear, DenormalsAreNumbers) {
  for (const Target target : RunnableTargets()) {
    for (const size_t m : {1u, 30u}) {
      Problem problem(m, 3, 16);
      std::fill(problem.bias.begin(), problem.bias.end(), 0.0f);
      for (size_t i = 0; i < 48; ++i) problem.weights.data()[i] = i % 3 == 0 ? 0x1p-130f : 0.0f;
      for (size_t r = 0; r < m; ++r) {
        for (size_t k = 0; k < 3; ++k) problem.x.view()(r, k) = 4.0f;
      }
      EXPECT_EQ(Multiply(problem, {.target = target}).view()(m - 1, 15), 0x1p-128f);
    }
  }
}

TEST(Linear, NoRowsIsNoWork) {
  ThreadPool pool(2);
  const PackedMatrix w(32, 16, WeightFormat::kBf16);
  LinearScratch scratch(4, 16, 2);
  Linear(MatView<const float>(nullptr, 0, 16), w, nullptr, MatView<float>(nullptr, 0, 32),
         LinearMode::kStore, scratch, pool);
}

TEST(LinearScratch, IsBoundedHoweverManyRowsThereAre) {
  EXPECT_EQ(LinearScratch::BytesFor(100000, 64, 2), LinearScratch::BytesFor(2000, 64, 2));
}

}  // namespace
}  // namespace ocelli
