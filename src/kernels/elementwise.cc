#include "kernels/elementwise.h"

#include <cmath>
#include <numbers>

namespace ocelli {
namespace {

float MeanSquare(const float* x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += double{x[i]} * double{x[i]};
  return static_cast<float>(sum / static_cast<double>(n));
}

float Silu(float x) { return x / (1.0f + std::exp(-x)); }

float GeluOne(float x, GeluKind kind) {
  const double wide = x;
  if (kind == GeluKind::kErf) {
    return static_cast<float>(0.5 * wide * std::erfc(-wide / std::numbers::sqrt2));
  }
  const double inner = std::sqrt(2.0 / std::numbers::pi) * (wide + 0.044715 * wide * wide * wide);
  return static_cast<float>(wide / (1.0 + std::exp(-2.0 * inner)));
}

}  // namespace

void RmsNorm(MatView<const float> x, const float* weight, float eps, MatView<float> y,
             ThreadPool& pool) noexcept {
  pool.ForEach(x.rows(), [&](size_t r, int) {
    const float scale = 1.0f / std::sqrt(MeanSquare(x.Row(r), x.cols()) + eps);
    for (size_t c = 0; c < x.cols(); ++c) y(r, c) = x(r, c) * scale * weight[c];
  });
}

void LayerNorm(MatView<const float> x, const float* weight, const float* bias, float eps,
               MatView<float> y, ThreadPool& pool) noexcept {
  const auto count = static_cast<double>(x.cols());
  pool.ForEach(x.rows(), [&](size_t r, int) {
    double mean = 0;
    for (size_t c = 0; c < x.cols(); ++c) mean += double{x(r, c)} / count;
    double variance = 0;
    for (size_t c = 0; c < x.cols(); ++c) {
      variance += (double{x(r, c)} - mean) * (double{x(r, c)} - mean) / count;
    }
    const double scale = 1.0 / std::sqrt(variance + double{eps});
    for (size_t c = 0; c < x.cols(); ++c) {
      y(r, c) = static_cast<float>((double{x(r, c)} - mean) * scale) * weight[c] + bias[c];
    }
  });
}

void NormRotateHeads(MatView<float> x, size_t head_dim, const float* norm_weight, float eps,
                     MatView<const float> cos, MatView<const float> sin,
                     ThreadPool& pool) noexcept {
  const size_t half = head_dim / 2;
  pool.ForEach(x.rows(), [&](size_t r, int) {
    for (float* head = x.Row(r); head != x.Row(r) + x.cols(); head += head_dim) {
      const float scale = norm_weight ? 1.0f / std::sqrt(MeanSquare(head, head_dim) + eps) : 1.0f;
      for (size_t i = 0; i < half; ++i) {
        const float low = head[i] * scale * (norm_weight ? norm_weight[i] : 1.0f);
        const float high = head[i + half] * scale * (norm_weight ? norm_weight[i + half] : 1.0f);
        head[i] = low * cos(r, i) - high * sin(r, i);
        head[i + half] = high * cos(r, i) + low * sin(r, i);
      }
    }
  });
}

void SiluMul(MatView<float> gate, MatView<const float> up, ThreadPool& pool) noexcept {
  pool.ForEach(gate.rows(), [&](size_t r, int) {
    for (size_t c = 0; c < gate.cols(); ++c) gate(r, c) = Silu(gate(r, c)) * up(r, c);
  });
}

void Gelu(MatView<float> x, GeluKind kind, ThreadPool& pool) noexcept {
  pool.ForEach(x.rows(), [&](size_t r, int) {
    for (size_t c = 0; c < x.cols(); ++c) x(r, c) = GeluOne(x(r, c), kind);
  });
}

void AddTo(MatView<const float> x, MatView<float> y, ThreadPool& pool) noexcept {
  pool.ForEach(x.rows(), [&](size_t r, int) {
    for (size_t c = 0; c < x.cols(); ++c) y(r, c) += x(r, c);
  });
}

}  // namespace ocelli
