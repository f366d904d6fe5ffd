#include "kernels/elementwise.h"

#include "kernels/fork.h"
#include "kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/exp2-inl.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli::HWY_NAMESPACE {

// Where |x| is larger, the negative side of each activation is below the smallest denormal. NaN
// passes.
HWY_INLINE FloatVec ClampMagnitude(FloatVec x, float limit) {
  const FloatTag d;
  const FloatVec bound = hn::Set(d, limit);
  const FloatVec magnitude = hn::Abs(x);
  return hn::IfThenElse(hn::Gt(magnitude, bound), bound, magnitude);
}

// Returns x / (1 + e^-s) for an odd, increasing s(x), from `power` = e^-|s|, which cannot overflow;
// `magnitude` is |x|, clamped.
HWY_INLINE FloatVec Gate(FloatVec x, FloatVec magnitude, const Exp2Factors& power) {
  const FloatTag d;
  const FloatVec one = hn::Set(d, 1.0f);
  const FloatVec denominator = hn::Add(one, power.Times(one));
  const FloatVec positive = hn::Div(x, denominator);
  const FloatVec negative = power.Times(hn::Div(hn::Neg(magnitude), denominator));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), negative, positive);
}

// x / (1 + e^-x).
HWY_INLINE FloatVec SiluOf(FloatVec x) {
  const FloatTag d;
  const FloatVec magnitude = ClampMagnitude(x, 150.0f);
  const DoubleFloat log2_e = {hn::Set(d, 1.44269502f), hn::Set(d, 1.92596303e-8f)};
  return Gate(x, magnitude, Exp2OfMinus(Times(magnitude, log2_e)));
}

// 0.5 x (1 + tanh(u)) = x / (1 + e^-2u), 2u log2(e) = x (c1 + c3 x^2).
HWY_INLINE FloatVec GeluTanhOf(FloatVec x) {
  const FloatTag d;
  const FloatVec c1 = hn::Set(d, 2.30220819f);
  const FloatVec c1_low = hn::Set(d, 1.29484024e-8f);
  const DoubleFloat c3 = {hn::Set(d, 0.102943242f), hn::Set(d, -2.01619854e-9f)};
  const FloatVec magnitude = ClampMagnitude(x, 12.5f);
  const DoubleFloat square = ExactProduct(magnitude, magnitude);
  DoubleFloat cubic = Times(square.high, c3);
  cubic.low = hn::MulAdd(square.low, c3.high, cubic.low);
  DoubleFloat slope = ExactSum(c1, cubic.high);
  slope.low = hn::Add(slope.low, hn::Add(cubic.low, c1_low));
  return Gate(x, magnitude, Exp2OfMinus(Times(magnitude, slope)));
}

// Returns exp(t^2) erfc(t) for t in [0, 10.3]: a minimax polynomial of (1 + 2t) times it in
// q = (t - 2) / (t + 2), relative error 1.4e-8.
HWY_INLINE FloatVec ScaledErfc(FloatVec t) {
  const FloatTag d;
  const FloatVec two = hn::Set(d, 2.0f);
  const FloatVec q = hn::Div(hn::Sub(t, two), hn::Add(t, two));
  FloatVec p = hn::Set(d, -3.98329983e-4f);
  p = hn::MulAdd(p, q, hn::Set(d, -1.22609979e-3f));
  p = hn::MulAdd(p, q, hn::Set(d, 1.31307833e-3f));
  p = hn::MulAdd(p, q, hn::Set(d, 8.62851832e-3f));
  p = hn::MulAdd(p, q, hn::Set(d, -8.06039944e-3f));
  p = hn::MulAdd(p, q, hn::Set(d, -5.42034656e-2f));
  p = hn::MulAdd(p, q, hn::Set(d, 1.64055496e-1f));
  p = hn::MulAdd(p, q, hn::Set(d, -1.66031495e-1f));
  p = hn::MulAdd(p, q, hn::Set(d, -9.27639902e-2f));
  p = hn::MulAdd(p, q, hn::Set(d, 1.27697837f));
  return hn::Div(p, hn::MulAdd(two, t, hn::Set(d, 1.0f)));
}

// x Phi(x), with Phi(-|x|) = 0.5 e^(-x^2/2) ScaledErfc(|x| / sqrt(2)).
HWY_INLINE FloatVec GeluErfOf(FloatVec x) {
  const FloatTag d;
  const FloatVec magnitude = ClampMagnitude(x, 14.5f);
  const DoubleFloat half_log2_e = {hn::Set(d, 0.721347511f), hn::Set(d, 9.62981517e-9f)};
  const DoubleFloat square = ExactProduct(magnitude, magnitude);
  DoubleFloat z = Times(square.high, half_log2_e);
  z.low = hn::MulAdd(square.low, half_log2_e.high, z.low);
  const Exp2Factors power = Exp2OfMinus(z);
  const FloatVec tail =
      hn::Mul(hn::Set(d, 0.5f), ScaledErfc(hn::Mul(magnitude, hn::Set(d, 0.707106769f))));
  const FloatVec positive = hn::NegMulAdd(magnitude, power.Times(tail), x);
  const FloatVec negative = power.Times(hn::Neg(hn::Mul(magnitude, tail)));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), negative, positive);
}

void SiluMulRows(MatView<float> gate, MatView<const float> up) {
  for (size_t r = 0; r < gate.rows(); ++r) {
    float* g = gate.Row(r);
    const float* u = up.Row(r);
    ForVectors(gate.cols(), [=](size_t i, size_t count) HWY_ATTR {
      const FloatVec silu = SiluOf(LoadSome(g + i, count));
      StoreSome(hn::Mul(silu, LoadSome(u + i, count)), g + i, count);
    });
  }
}

void GeluTanhRows(MatView<float> x) {
  for (size_t r = 0; r < x.rows(); ++r) {
    float* row = x.Row(r);
    ForVectors(x.cols(), [=](size_t i, size_t count) HWY_ATTR {
      StoreSome(GeluTanhOf(LoadSome(row + i, count)), row + i, count);
    });
  }
}

void GeluErfRows(MatView<float> x) {
  for (size_t r = 0; r < x.rows(); ++r) {
    float* row = x.Row(r);
    ForVectors(x.cols(), [=](size_t i, size_t count) HWY_ATTR {
      StoreSome(GeluErfOf(LoadSome(row + i, count)), row + i, count);
    });
  }
}

void AddRows(MatView<const float> x, MatView<float> y) {
  for (size_t r = 0; r < x.rows(); ++r) {
    const float* from = x.Row(r);
    float* to = y.Row(r);
    ForVectors(x.cols(), [=](size_t i, size_t count) HWY_ATTR {
      StoreSome(hn::Add(LoadSome(to + i, count), LoadSome(from + i, count)), to + i, count);
    });
  }
}

}  // namespace ocelli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {

HWY_EXPORT(SiluMulRows);
HWY_EXPORT(GeluTanhRows);
HWY_EXPORT(GeluErfRows);
HWY_EXPORT(AddRows);

void SiluMul(MatView<float> gate, MatView<const float> up, ThreadPool& pool) noexcept {
  ForRowRanges(gate.rows(), gate.cols(), pool, [&](size_t begin, size_t end) {
    OCELLI_DISPATCH(SiluMulRows)(gate.Rows(begin, end - begin), up.Rows(begin, end - begin));
  });
}

void Gelu(MatView<float> x, GeluKind kind, ThreadPool& pool) noexcept {
  ForRowRanges(x.rows(), x.cols(), pool, [&](size_t begin, size_t end) {
    const MatView<float> rows = x.Rows(begin, end - begin);
    if (kind == GeluKind::kTanh) {
      OCELLI_DISPATCH(GeluTanhRows)(rows);
    } else {
      OCELLI_DISPATCH(GeluErfRows)(rows);
    }
  });
}

void AddTo(MatView<const float> x, MatView<float> y, ThreadPool& pool) noexcept {
  ForRowRanges(x.rows(), x.cols(), pool, [&](size_t begin, size_t end) {
    OCELLI_DISPATCH(AddRows)(x.Rows(begin, end - begin), y.Rows(begin, end - begin));
  });
}

}  // namespace ocelli
#endif  // HWY_ONCE
