#include "kernels/elementwise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
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
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Activation {
  std::string name;
  std::function<void(MatView<float>, ThreadPool&)> kernel;
  double (*twin)(double);
};

std::vector<Activation> Activations() {
  return {{"silu",
           [](MatView<float> x, ThreadPool& pool) {
             const std::vector<float> ones(x.cols(), 1.0f);
             const MatView<const float> up(ones.data(), x.rows(), x.cols(), 0);
             SiluMul(x, up, pool);
           },
           reference::Silu},
          {"gelu tanh", [](MatView<float> x, ThreadPool& pool) { Gelu(x, GeluKind::kTanh, pool); },
           reference::GeluTanh},
          {"gelu erf", [](MatView<float> x, ThreadPool& pool) { Gelu(x, GeluKind::kErf, pool); },
           reference::GeluErf}};
}

// Finite floats of both signs, evenly spread over their bit patterns: every magnitude is there.
std::vector<float> Sweep(uint32_t step) {
  std::vector<float> sweep;
  for (uint32_t bits = 1; bits < 0x7F800000u; bits += step) {
    sweep.push_back(std::bit_cast<float>(bits));
    sweep.push_back(-std::bit_cast<float>(bits));
  }
  return sweep;
}

// Numbers where the activations bend, and where their negative sides fade into denormals.
std::vector<float> Dense() {
  std::vector<float> dense;
  for (int i = -160000; i <= 160000; ++i) dense.push_back(static_cast<float>(i) * 7.7e-4f);
  for (int i = -160000; i <= 160000; ++i) dense.push_back(static_cast<float>(i) * 9.1e-5f);
  return dense;
}

// The distance of two floats next to `x`.
double UnitInLastPlace(double x) {
  return std::ldexp(1.0, std::max(std::ilogb(std::max(std::abs(x), 0x1p-126)), -126) - 23);
}

double WorstUnits(const Activation& activation, const std::vector<float>& inputs) {
  ThreadPool pool(1);
  std::vector<float> y = inputs;
  activation.kernel(MatView<float>(y.data(), 1, y.size()), pool);
  double worst = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double expected = activation.twin(double{inputs[i]});
    const double units = std::abs(double{y[i]} - expected) / UnitInLastPlace(expected);
    if (!(units <= worst)) worst = std::isnan(units) ? INFINITY : units;
  }
  return worst;
}

TEST(Activations, AreWithinFiveUnitsInTheLastPlaceEverywhere) {
  const std::vector<float> sweep = Sweep(50021);
  const std::vector<float> dense = Dense();
  OnEveryTarget([&](Target) {
    for (const Activation& activation : Activations()) {
      EXPECT_LE(WorstUnits(activation, sweep), 5.0) << activation.name;
      EXPECT_LE(WorstUnits(activation, dense), 5.0) << activation.name;
    }
  });
}

TEST(Activations, TakeInfinitiesToTheirLimitsAndKeepNan) {
  OnEveryTarget([](Target) {
    ThreadPool pool(1);
    for (const Activation& activation : Activations()) {
      std::vector<float> x = {kInfinity, -kInfinity, kNan, 0.0f, -0.0f, 3.4e38f, -3.4e38f};
      activation.kernel(MatView<float>(x.data(), 1, x.size()), pool);
      EXPECT_EQ(x[0], kInfinity) << activation.name;
      EXPECT_EQ(x[1], 0.0f) << activation.name;
      EXPECT_TRUE(std::isnan(x[2])) << activation.name;
      EXPECT_EQ(x[3], 0.0f) << activation.name;
      EXPECT_EQ(x[4], 0.0f) << activation.name;
      EXPECT_EQ(x[5], 3.4e38f) << activation.name;
      EXPECT_EQ(x[6], 0.0f) << activation.name;
    }
  });
}

TEST(Activations, TouchOnlyTheirNumbersForEveryLength) {
  OnEveryTarget([](Target) {
    ThreadPool pool(1);
    for (const Activation& activation : Activations()) {
      for (size_t n = 1; n <= 70; ++n) {
        std::vector<float> memory(n + 2, kNan);
        std::vector<float> single(n);
        for (size_t i = 0; i < n; ++i) {
          single[i] = memory[i + 1] = static_cast<float>(i) * 0.11f - 3.0f;
          activation.kernel(MatView<float>(&single[i], 1, 1), pool);
        }
        activation.kernel(MatView<float>(memory.data() + 1, 1, n), pool);
        ASSERT_TRUE(std::isnan(memory[0]) && std::isnan(memory[n + 1])) << n;
        ASSERT_EQ(std::memcmp(memory.data() + 1, single.data(), n * sizeof(float)), 0) << n;
      }
    }
  });
}

TEST(Activations, Avx2AndAvx512GiveTheSameBits) {
  if (RunnableTargets().front() != Target::kAvx512) GTEST_SKIP() << "needs AVX-512";
  ThreadPool pool(1);
  for (const Activation& activation : Activations()) {
    std::vector<float> results[2] = {Dense(), Dense()};
    for (const Target target : {Target::kAvx2, Target::kAvx512}) {
      const ScopedTarget scope(target);
      std::vector<float>& x = results[target == Target::kAvx512];
      activation.kernel(MatView<float>(x.data(), 1, x.size()), pool);
    }
    EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * 4), 0);
  }
}

TEST(SiluMul, MultipliesColumnRangesOfOneMatrix) {
  OnEveryTarget([](Target) {
    ThreadPool pool(2);
    Mat<float> both(300, 2 * 150);
    for (size_t i = 0; i < 300 * 300; ++i)
      both.data()[i] = static_cast<float>(i % 97) * 0.1f - 4.0f;
    Mat<float> before(300, 2 * 150);
    std::memcpy(before.data(), both.data(), 300 * 300 * sizeof(float));
    SiluMul(both.view().Cols(0, 150), both.view().Cols(150, 150), pool);
    for (size_t r = 0; r < 300; ++r) {
      for (size_t c = 0; c < 150; ++c) {
        const double expected =
            reference::Silu(double{before.view()(r, c)}) * double{before.view()(r, c + 150)};
        ASSERT_NEAR(double{both.view()(r, c)}, expected, 3e-7 * std::abs(expected));
        ASSERT_EQ(both.view()(r, c + 150), before.view()(r, c + 150));
      }
    }
  });
}

TEST(AddTo, AddsOnEveryTargetAndThreadCount) {
  OnEveryTarget([](Target) {
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      Mat<float> x(301, 143), y(301, 143);
      for (size_t i = 0; i < 301 * 143; ++i) {
        x.data()[i] = static_cast<float>(i) * 0.37f;
        y.data()[i] = static_cast<float>(i % 1000);
      }
      AddTo(x.view(), y.view(), pool);
      for (size_t i = 0; i < 301 * 143; ++i) {
        ASSERT_EQ(y.data()[i], static_cast<float>(i % 1000) + x.data()[i]);
      }
    }
  });
}

TEST(Elementwise, EmptyMatricesAreFine) {
  ThreadPool pool(2);
  AddTo(MatView<const float>(), MatView<float>(), pool);
  Gelu(MatView<float>(), GeluKind::kErf, pool);
}

}  // namespace
}  // namespace ocelli
