#include "kernels/self_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <span>

#include "base/bf16.h"
#include "kernels/attention.h"
#include "kernels/elementwise.h"
#include "kernels/linear.h"
#include "kernels/norm.h"
#include "kernels/reference/attention_reference.h"
#include "kernels/reference/elementwise_reference.h"
#include "kernels/reference/linear_reference.h"

namespace ocelli {
namespace {

constexpr double kUnit = 0x1p-24;  // half a unit in the last place of 1
constexpr float kEps = 1e-6f;

// Gives every check the same numbers on every machine.
class Numbers {
 public:
  Mat<float> Normal(size_t rows, size_t cols) {
    Mat<float> numbers(rows, cols);
    for (size_t i = 0; i < rows * cols; ++i) numbers.data()[i] = normal_(random_);
    return numbers;
  }
  // Numbers that bf16 holds exactly, as published weights do.
  Mat<float> Weights(size_t rows, size_t cols) {
    Mat<float> numbers = Normal(rows, cols);
    for (size_t i = 0; i < rows * cols; ++i) {
      numbers.data()[i] = ToFloat(RoundToBf16(numbers.data()[i]));
    }
    return numbers;
  }

 private:
  std::mt19937 random_{1};
  std::normal_distribution<float> normal_;
};

// Compares results with their twin, each against the error that it may have.
class Comparison {
 public:
  explicit Comparison(std::string_view kernel) { check_.kernel = kernel; }

  void Add(float got, double expected, double allowed) {
    const double error = std::abs(double{got} - expected) / allowed;
    // A NaN must not pass for a small error.
    check_.worst =
        std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(check_.worst, error);
    check_.checksum = (check_.checksum ^ std::bit_cast<uint32_t>(got)) * 0x100000001b3u;
    ++check_.results;
  }
  void Add(MatView<const float> got, MatView<const double> expected,
           const std::function<double(size_t, size_t)>& allowed) {
    for (size_t r = 0; r < got.rows(); ++r) {
      for (size_t c = 0; c < got.cols(); ++c) Add(got(r, c), expected(r, c), allowed(r, c));
    }
  }
  const KernelCheck& check() const { return check_; }

 private:
  KernelCheck check_;
};

void CheckLinearCase(size_t rows, WeightFormat format, ThreadPool& pool, Comparison& comparison) {
  constexpr size_t kInputs = 700, kOutputs = 77;  // several sum blocks and a cut panel
  Numbers numbers;
  const Mat<float> x = numbers.Normal(rows, kInputs);
  const Mat<float> weights = numbers.Weights(kOutputs, kInputs);
  const Mat<float> bias = numbers.Normal(1, kOutputs);
  const bool packed12 = format == WeightFormat::kPacked12;
  PackedMatrix packed(kOutputs, kInputs, packed12 ? WeightFormat::kBf16 : format);
  const std::span<const float> all(weights.data(), kOutputs * kInputs);
  packed.SetRows(0, {DType::kFloat32, {kOutputs, kInputs}, std::as_bytes(all)}, pool);
  if (packed12) packed = packed.Compressed(pool);
  LinearScratch scratch(rows, kInputs, pool.num_threads());
  Mat<float> y(rows, kOutputs);
  Linear(x.view(), packed, bias.data(), y.view(), LinearMode::kStore, scratch, pool);
  Linear(x.view(), packed, nullptr, y.view(), LinearMode::kAdd, scratch, pool);

  Mat<double> once(rows, kOutputs), again(rows, kOutputs), magnitude(rows, kOutputs);
  reference::Linear(x.view(), weights.view(), bias.data(), once.view());
  reference::Linear(x.view(), weights.view(), nullptr, again.view());
  reference::LinearMagnitude(x.view(), weights.view(), bias.data(), magnitude.view());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < kOutputs; ++c) {
      comparison.Add(y.view()(r, c), once.view()(r, c) + again.view()(r, c),
                     16 * kUnit * magnitude.view()(r, c));
    }
  }
}

KernelCheck CheckLinear(std::string_view kernel, WeightFormat format, ThreadPool& pool) {
  Comparison comparison(kernel);
  for (const size_t rows : {1u, 5u, 16u, 70u}) CheckLinearCase(rows, format, pool, comparison);
  return comparison.check();
}

KernelCheck CheckRmsNorm(ThreadPool& pool) {
  Comparison comparison("RMS norm");
  for (const size_t width : {70u, 1024u}) {
    Numbers numbers;
    const Mat<float> x = numbers.Normal(5, width);
    const Mat<float> weight = numbers.Normal(1, width);
    Mat<float> y(5, width);
    Mat<double> twin(5, width);
    RmsNorm(x.view(), weight.data(), kEps, y.view(), pool);
    reference::RmsNorm(x.view(), weight.data(), double{kEps}, twin.view());
    comparison.Add(y.view(), twin.view(), [&](size_t r, size_t c) {
      return 4 * kUnit * std::abs(twin.view()(r, c)) + kUnit * kUnit;
    });
  }
  return comparison.check();
}

KernelCheck CheckLayerNorm(ThreadPool& pool) {
  Comparison comparison("layer norm");
  for (const size_t width : {70u, 1024u}) {
    Numbers numbers;
    const Mat<float> x = numbers.Normal(5, width);
    const Mat<float> weight = numbers.Normal(1, width);
    const Mat<float> bias = numbers.Normal(1, width);
    Mat<float> y(5, width);
    Mat<double> twin(5, width);
    LayerNorm(x.view(), weight.data(), bias.data(), kEps, y.view(), pool);
    reference::LayerNorm(x.view(), weight.data(), bias.data(), double{kEps}, twin.view());
    comparison.Add(y.view(), twin.view(), [](size_t, size_t) { return 64 * kUnit; });
  }
  return comparison.check();
}

KernelCheck CheckNormRotate(ThreadPool& pool) {
  constexpr size_t kRows = 6, kHeads = 3, kHeadDim = 128;
  Comparison comparison("head norm and rotary embedding");
  Numbers numbers;
  Mat<float> x = numbers.Normal(kRows, kHeads * kHeadDim);
  const Mat<float> weight = numbers.Normal(1, kHeadDim);
  Mat<float> cos = numbers.Normal(kRows, kHeadDim / 2);
  Mat<float> sin(kRows, kHeadDim / 2);
  for (size_t i = 0; i < kRows * kHeadDim / 2; ++i) {
    const float angle = cos.data()[i];
    cos.data()[i] = std::cos(angle);
    sin.data()[i] = std::sin(angle);
  }
  Mat<double> twin(kRows, kHeads * kHeadDim);
  reference::NormRotateHeads(x.view(), kHeadDim, weight.data(), double{kEps}, cos.view(),
                             sin.view(), twin.view());
  NormRotateHeads(x.view(), kHeadDim, weight.data(), kEps, cos.view(), sin.view(), pool);
  comparison.Add(x.view(), twin.view(), [](size_t, size_t) { return 64 * kUnit; });
  return comparison.check();
}

// Activations in the range where they bend, and far out.
Mat<float> ActivationInputs(size_t rows, size_t cols) {
  Mat<float> x = Numbers().Normal(rows, cols);
  for (size_t i = 0; i < rows * cols; ++i) x.data()[i] *= i % 3 == 0 ? 8.0f : 1.5f;
  return x;
}

KernelCheck CheckGelu(std::string_view kernel, GeluKind kind, double (*twin)(double),
                      ThreadPool& pool) {
  Comparison comparison(kernel);
  const Mat<float> x = ActivationInputs(4, 531);
  Mat<float> y = ActivationInputs(4, 531);
  Gelu(y.view(), kind, pool);
  for (size_t i = 0; i < 4 * 531; ++i) {
    const double expected = twin(double{x.data()[i]});
    comparison.Add(y.data()[i], expected, 16 * kUnit * std::abs(expected) + 0x1p-140);
  }
  return comparison.check();
}

KernelCheck CheckSiluMul(ThreadPool& pool) {
  Comparison comparison("SiLU times gate");
  const Mat<float> gate = ActivationInputs(4, 531);
  Mat<float> y = ActivationInputs(4, 531);
  const Mat<float> up = Numbers().Normal(4, 531);
  SiluMul(y.view(), up.view(), pool);
  for (size_t i = 0; i < 4 * 531; ++i) {
    const double expected = reference::Silu(double{gate.data()[i]}) * double{up.data()[i]};
    comparison.Add(y.data()[i], expected, 16 * kUnit * std::abs(expected) + 0x1p-140);
  }
  return comparison.check();
}

KernelCheck CheckAddTo(ThreadPool& pool) {
  Comparison comparison("residual add");
  Numbers numbers;
  const Mat<float> x = numbers.Normal(3, 517);
  const Mat<float> before = numbers.Normal(3, 517);
  Mat<float> y(3, 517);
  std::copy_n(before.data(), 3 * 517, y.data());
  AddTo(x.view(), y.view(), pool);
  for (size_t i = 0; i < 3 * 517; ++i) {
    const double expected = double{x.data()[i]} + double{before.data()[i]};
    comparison.Add(y.data()[i], expected, kUnit * std::abs(expected) + 0x1p-140);
  }
  return comparison.check();
}

// A score is a sum of head_dim rounded steps; values up to 5 pass its error on.
double AttentionBound(size_t head_dim) {
  return 4 * 5 * kUnit * (std::sqrt(static_cast<double>(head_dim)) / 2 + 4);
}

KernelCheck CheckCausalAttention(std::string_view kernel, KvType kv_type, ThreadPool& pool) {
  constexpr size_t kTokens = 150;  // more than one softmax step, and a block that is not full
  const AttentionShape shape{4, 2, 64, kv_type};
  Numbers numbers;
  const Mat<float> q = numbers.Normal(kTokens, shape.heads * shape.head_dim);
  const Mat<float> k = numbers.Weights(kTokens, shape.kv_heads * shape.head_dim);
  const Mat<float> v = numbers.Weights(kTokens, shape.kv_heads * shape.head_dim);
  std::vector<std::vector<std::byte>> blocks(DivideUp(kTokens, kKvBlockTokens),
                                             std::vector<std::byte>(KvBlockBytes(shape)));
  std::vector<const void*> pointers;
  for (const auto& block : blocks) pointers.push_back(block.data());
  for (size_t t = 0; t < kTokens; ++t) {
    StoreKv(shape, k.view().Row(t), v.view().Row(t), blocks[t / kKvBlockTokens].data(),
            t % kKvBlockTokens);
  }
  Mat<float> out(kTokens, shape.heads * shape.head_dim);
  AttentionScratch scratch(shape, 0, pool.num_threads());
  const CausalSegment segment{q.view(), out.view(), pointers, 0};
  CausalAttention(shape, {&segment, 1}, scratch, pool);
  Mat<double> twin(kTokens, shape.heads * shape.head_dim);
  reference::CausalAttention(shape.heads, shape.kv_heads, shape.head_dim, 0, q.view(), k.view(),
                             v.view(), twin.view());
  Comparison comparison(kernel);
  comparison.Add(out.view(), twin.view(),
                 [&](size_t, size_t) { return AttentionBound(shape.head_dim); });
  return comparison.check();
}

KernelCheck CheckFullAttention(ThreadPool& pool) {
  constexpr size_t kPatches = 140;
  const AttentionShape shape{2, 2, 64};
  const size_t width = shape.heads * shape.head_dim;
  Numbers numbers;
  const Mat<float> q = numbers.Normal(kPatches, width);
  const Mat<float> k = numbers.Normal(kPatches, width);
  const Mat<float> v = numbers.Normal(kPatches, width);
  Mat<float> out(kPatches, width);
  AttentionScratch scratch(shape, kPatches, pool.num_threads());
  FullAttention(shape, q.view(), k.view(), v.view(), out.view(), scratch, pool);
  Mat<double> twin(kPatches, width);
  reference::FullAttention(shape.heads, shape.head_dim, q.view(), k.view(), v.view(), twin.view());
  Comparison comparison("attention over a picture");
  comparison.Add(out.view(), twin.view(),
                 [&](size_t, size_t) { return AttentionBound(shape.head_dim); });
  return comparison.check();
}

}  // namespace

std::vector<KernelCheck> CheckKernels(ThreadPool& pool) {
  return {CheckLinear("linear, bf16 weights", WeightFormat::kBf16, pool),
          CheckLinear("linear, float32 weights", WeightFormat::kFloat32, pool),
          CheckLinear("linear, 12-bit weights", WeightFormat::kPacked12, pool),
          CheckCausalAttention("causal attention, float32 KV", KvType::kFloat32, pool),
          CheckCausalAttention("causal attention, bf16 KV", KvType::kBf16, pool),
          CheckFullAttention(pool),
          CheckRmsNorm(pool),
          CheckLayerNorm(pool),
          CheckNormRotate(pool),
          CheckSiluMul(pool),
          CheckGelu("GELU, tanh", GeluKind::kTanh, reference::GeluTanh, pool),
          CheckGelu("GELU, erf", GeluKind::kErf, reference::GeluErf, pool),
          CheckAddTo(pool)};
}

}  // namespace ocelli
