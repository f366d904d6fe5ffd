#include "kernels/norm.h"

#include <cmath>

#include "kernels/fork.h"
#include "kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli::HWY_NAMESPACE {

// Returns 1 / sqrt(sum / count + eps), rounded once.
float InverseRoot(double sum, size_t count, float eps) {
  return static_cast<float>(1.0 / std::sqrt(sum / static_cast<double>(count) + double{eps}));
}

float SumOfSquares(const float* x, size_t n) {
  return SumOf(x, n, 0.0f, [](FloatVec sum, FloatVec v) HWY_ATTR { return hn::MulAdd(v, v, sum); });
}

void RmsNormRows(MatView<const float> x, const float* weight, float eps, MatView<float> y) {
  const FloatTag d;
  const size_t n = x.cols();
  for (size_t r = 0; r < x.rows(); ++r) {
    const float* in = x.Row(r);
    float* out = y.Row(r);
    const FloatVec scale = hn::Set(d, InverseRoot(double{SumOfSquares(in, n)}, n, eps));
    ForVectors(n, [=](size_t i, size_t count) HWY_ATTR {
      const FloatVec normal = hn::Mul(LoadSome(in + i, count), scale);
      StoreSome(hn::Mul(normal, LoadSome(weight + i, count)), out + i, count);
    });
  }
}

void LayerNormRow(const float* x, size_t n, const float* weight, const float* bias, float eps,
                  float* y) {
  const FloatTag d;
  const auto count = static_cast<double>(n);
  const float total =
      SumOf(x, n, 0.0f, [](FloatVec sum, FloatVec v) HWY_ATTR { return hn::Add(sum, v); });
  const auto mean = static_cast<float>(double{total} / count);
  const FloatVec center = hn::Set(d, mean);
  // What `mean` lost to rounding, seen from the small numbers x - mean.
  const float left = SumOf(x, n, mean, [center](FloatVec sum, FloatVec v) HWY_ATTR {
    return hn::Add(sum, hn::Sub(v, center));
  });
  const double shift = double{left} / count;
  const float squares = SumOf(x, n, mean, [center](FloatVec sum, FloatVec v) HWY_ATTR {
    const FloatVec delta = hn::Sub(v, center);
    return hn::MulAdd(delta, delta, sum);
  });
  const FloatVec scale = hn::Set(d, InverseRoot(double{squares} - shift * shift * count, n, eps));
  const FloatVec correction = hn::Set(d, static_cast<float>(shift));
  ForVectors(n, [=](size_t i, size_t some) HWY_ATTR {
    const FloatVec delta = hn::Sub(hn::Sub(LoadSome(x + i, some), center), correction);
    const FloatVec normal = hn::Mul(delta, scale);
    StoreSome(hn::MulAdd(normal, LoadSome(weight + i, some), LoadSome(bias + i, some)), y + i,
              some);
  });
}

void LayerNormRows(MatView<const float> x, const float* weight, const float* bias, float eps,
                   MatView<float> y) {
  for (size_t r = 0; r < x.rows(); ++r) {
    LayerNormRow(x.Row(r), x.cols(), weight, bias, eps, y.Row(r));
  }
}

void RotateHead(float* head, size_t half, const float* cos, const float* sin) {
  ForVectors(half, [=](size_t i, size_t count) HWY_ATTR {
    const FloatVec c = LoadSome(cos + i, count);
    const FloatVec s = LoadSome(sin + i, count);
    const FloatVec low = LoadSome(head + i, count);
    const FloatVec high = LoadSome(head + half + i, count);
    StoreSome(hn::NegMulAdd(high, s, hn::Mul(low, c)), head + i, count);
    StoreSome(hn::MulAdd(low, s, hn::Mul(high, c)), head + half + i, count);
  });
}

void NormRotateRows(MatView<float> x, size_t head_dim, const float* norm_weight, float eps,
                    MatView<const float> cos, MatView<const float> sin) {
  for (size_t r = 0; r < x.rows(); ++r) {
    for (size_t column = 0; column < x.cols(); column += head_dim) {
      float* head = x.Row(r) + column;
      if (norm_weight != nullptr) {
        const MatView<float> one(head, 1, head_dim);
        RmsNormRows(one, norm_weight, eps, one);
      }
      RotateHead(head, head_dim / 2, cos.Row(r), sin.Row(r));
    }
  }
}

}  // namespace ocelli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {

HWY_EXPORT(RmsNormRows);
HWY_EXPORT(LayerNormRows);
HWY_EXPORT(NormRotateRows);

void RmsNorm(MatView<const float> x, const float* weight, float eps, MatView<float> y,
             ThreadPool& pool) noexcept {
  ForRowRanges(x.rows(), x.cols(), pool, [&](size_t begin, size_t end) {
    OCELLI_DISPATCH(RmsNormRows)
    (x.Rows(begin, end - begin), weight, eps, y.Rows(begin, end - begin));
  });
}

void LayerNorm(MatView<const float> x, const float* weight, const float* bias, float eps,
               MatView<float> y, ThreadPool& pool) noexcept {
  ForRowRanges(x.rows(), x.cols(), pool, [&](size_t begin, size_t end) {
    OCELLI_DISPATCH(LayerNormRows)
    (x.Rows(begin, end - begin), weight, bias, eps, y.Rows(begin, end - begin));
  });
}

void NormRotateHeads(MatView<float> x, size_t head_dim, const float* norm_weight, float eps,
                     MatView<const float> cos, MatView<const float> sin,
                     ThreadPool& pool) noexcept {
  ForRowRanges(x.rows(), x.cols(), pool, [&](size_t begin, size_t end) {
    const size_t count = end - begin;
    OCELLI_DISPATCH(NormRotateRows)
    (x.Rows(begin, count), head_dim, norm_weight, eps, cos.Rows(begin, count),
     sin.Rows(begin, count));
  });
}

}  // namespace ocelli
#endif  // HWY_ONCE
