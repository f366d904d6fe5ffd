#include "picture/resize_taps.h"

#include <algorithm>
#include <cmath>

namespace ocelli {
namespace {

constexpr double kBicubicA = -0.5;
constexpr double kBicubicSupport = 2.0;

double Bicubic(double x) {
  x = std::abs(x);
  if (x < 1.0) return ((kBicubicA + 2.0) * x - (kBicubicA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kBicubicA;
  return 0.0;
}

int32_t ToFixedPoint(double weight) {
  const double scaled = weight * (1 << kTapPrecisionBits);
  return static_cast<int32_t>(weight < 0 ? scaled - 0.5 : scaled + 0.5);
}

uint32_t HighPart(int32_t weight) { return static_cast<uint16_t>(weight >> kTapLowBits); }
uint32_t LowPart(int32_t weight) {
  return static_cast<uint32_t>(weight) & ((1U << kTapLowBits) - 1);
}

}  // namespace

BicubicTaps::BicubicTaps(int in_size, int out_size) {
  const double scale = static_cast<double>(in_size) / out_size;
  const double filter_scale = std::max(scale, 1.0);
  const double support = kBicubicSupport * filter_scale;
  const double inverse = 1.0 / filter_scale;
  std::vector<double> weights;
  for (int out = 0; out < out_size; ++out) {
    const double center = (out + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int end = std::min(in_size, static_cast<int>(center + support + 0.5));
    weights.clear();
    double sum = 0.0;
    for (int x = 0; x < end - first; ++x) {
      weights.push_back(Bicubic((x + first - center + 0.5) * inverse));
      sum += weights.back();
    }
    for (double& weight : weights) {
      if (sum != 0.0) weight /= sum;
    }
    AddRange(static_cast<size_t>(first), weights);
  }
}

void BicubicTaps::AddRange(size_t first, const std::vector<double>& weights) {
  ranges_.push_back(Span{first, weights.size(), pairs_.size()});
  for (size_t x = 0; x < weights.size(); x += 2) {
    const int32_t even = ToFixedPoint(weights[x]);
    const int32_t odd = x + 1 < weights.size() ? ToFixedPoint(weights[x + 1]) : 0;
    pairs_.push_back(
        TapPair{HighPart(even) | HighPart(odd) << 16, LowPart(even) | LowPart(odd) << 16});
  }
}

}  // namespace ocelli
