#include "kernels/reference/elementwise_reference.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace ocelli::reference {
namespace {

double MeanSquare(const float* x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += double{x[i]} * double{x[i]};
  return sum / static_cast<double>(n);
}

}  // namespace

void RmsNorm(MatView<const float> x, const float* weight, double eps, MatView<double> y) {
  for (size_t r = 0; r < x.rows(); ++r) {
    const double rms = std::sqrt(MeanSquare(x.Row(r), x.cols()) + eps);
    for (size_t c = 0; c < x.cols(); ++c) y(r, c) = double{x(r, c)} / rms * double{weight[c]};
  }
}

void LayerNorm(MatView<const float> x, const float* weight, const float* bias, double eps,
               MatView<double> y) {
  const auto count = static_cast<double>(x.cols());
  for (size_t r = 0; r < x.rows(); ++r) {
    double mean = 0;
    for (size_t c = 0; c < x.cols(); ++c) mean += double{x(r, c)} / count;
    double variance = 0;
    for (size_t c = 0; c < x.cols(); ++c) {
      variance += (double{x(r, c)} - mean) * (double{x(r, c)} - mean) / count;
    }
    for (size_t c = 0; c < x.cols(); ++c) {
      const double normal = (double{x(r, c)} - mean) / std::sqrt(variance + eps);
      y(r, c) = normal * double{weight[c]} + double{bias[c]};
    }
  }
}

void NormRotateHeads(MatView<const float> x, size_t head_dim, const float* norm_weight, double eps,
                     MatView<const float> cos, MatView<const float> sin, MatView<double> y) {
  const size_t half = head_dim / 2;
  std::vector<double> head(head_dim);
  for (size_t r = 0; r < x.rows(); ++r) {
    for (size_t column = 0; column < x.cols(); column += head_dim) {
      const float* in = x.Row(r) + column;
      const double rms = norm_weight ? std::sqrt(MeanSquare(in, head_dim) + eps) : 1.0;
      for (size_t d = 0; d < head_dim; ++d) {
        head[d] = double{in[d]} / rms * (norm_weight ? double{norm_weight[d]} : 1.0);
      }
      for (size_t i = 0; i < half; ++i) {
        const double c = double{cos(r, i)};
        const double s = double{sin(r, i)};
        y(r, column + i) = head[i] * c - head[i + half] * s;
        y(r, column + i + half) = head[i + half] * c + head[i] * s;
      }
    }
  }
}

double Silu(double x) { return x / (1.0 + std::exp(-x)); }

double GeluTanh(double x) {
  const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  // 1 + tanh(u) = 2 / (1 + exp(-2u)) without the cancellation at large negative u.
  return x / (1.0 + std::exp(-2.0 * inner));
}

double GeluErf(double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }

}  // namespace ocelli::reference
