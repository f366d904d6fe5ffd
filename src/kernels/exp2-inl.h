// Powers of two, the one exponential of all kernels. Every target runs the same operations, so AVX2
// and AVX-512 give the same bits.

#if defined(OCELLI_KERNELS_EXP2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCELLI_KERNELS_EXP2_INL_H_
#undef OCELLI_KERNELS_EXP2_INL_H_
#else
#define OCELLI_KERNELS_EXP2_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli::HWY_NAMESPACE {

// Adding 1.5 * 2^23 rounds a small number to an integer, which is then in the low bits of the sum.
inline constexpr float kRoundingShift = 12582912.0f;

// Returns 2^r for r in [-0.5, 0.5]; exactly 1 at 0. A minimax polynomial: relative error 4e-9
// before the rounding of its evaluation.
HWY_INLINE FloatVec Exp2Fraction(FloatVec r) {
  const FloatTag d;
  FloatVec p = hn::Set(d, 1.54699126e-4f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.33909832e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 9.61802993e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.55035695e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.40226507e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.93147182e-1f));
  return hn::MulAdd(p, r, hn::Set(d, 1.0f));
}

// Returns 2^(x * scale) for x * scale <= 0, and 0 where it is below 2^-126 (also at -infinity); NaN
// stays NaN. The relative error grows with |x * scale| (half a unit of its last place), so as an
// absolute error it is below 2^-24: what a softmax needs.
HWY_INLINE FloatVec Exp2OfNegative(FloatVec x, float scale) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const FloatVec factor = hn::Set(d, scale);
  const FloatVec shifted = hn::MulAdd(x, factor, hn::Set(d, kRoundingShift));
  const FloatVec n = hn::Sub(shifted, hn::Set(d, kRoundingShift));
  const FloatVec p = Exp2Fraction(hn::MulSub(x, factor, n));
  const FloatVec power =
      hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -126.0f / scale)), power);
}

// An unevaluated sum of two floats.
struct DoubleFloat {
  FloatVec high;
  FloatVec low;
};

// Returns a * b exactly.
HWY_INLINE DoubleFloat ExactProduct(FloatVec a, FloatVec b) {
  const FloatVec high = hn::Mul(a, b);
#if HWY_NATIVE_FMA
  return {high, hn::MulSub(a, b, high)};
#else  // Dekker: halves of 12 bits, whose products are exact.
  const FloatTag d;
  const auto upper = [d](FloatVec v) HWY_ATTR {
    const FloatVec wide = hn::Mul(v, hn::Set(d, 4097.0f));
    return hn::Sub(wide, hn::Sub(wide, v));
  };
  const FloatVec a_high = upper(a);
  const FloatVec b_high = upper(b);
  const FloatVec a_low = hn::Sub(a, a_high);
  const FloatVec b_low = hn::Sub(b, b_high);
  FloatVec low = hn::Sub(hn::Mul(a_high, b_high), high);
  low = hn::Add(low, hn::Mul(a_high, b_low));
  low = hn::Add(low, hn::Mul(a_low, b_high));
  return {high, hn::Add(low, hn::Mul(a_low, b_low))};
#endif
}

// Returns a + b exactly, whichever is larger.
HWY_INLINE DoubleFloat ExactSum(FloatVec a, FloatVec b) {
  const FloatVec high = hn::Add(a, b);
  const FloatVec b_part = hn::Sub(high, a);
  const FloatVec a_part = hn::Sub(high, b_part);
  return {high, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
}

// Returns a * (b + b_low), to twice the precision.
HWY_INLINE DoubleFloat Times(FloatVec a, DoubleFloat b) {
  const DoubleFloat product = ExactProduct(a, b.high);
  return {product.high, hn::MulAdd(a, b.low, product.low)};
}

// 2^z as fraction * scale_1 * scale_2: the factors are normal numbers even where 2^z is not, so
// that a product with it is rounded once.
struct Exp2Factors {
  FloatVec fraction;
  FloatVec scale_1;
  FloatVec scale_2;

  HWY_INLINE FloatVec Times(FloatVec x) const {
    return hn::Mul(hn::Mul(hn::Mul(x, fraction), scale_1), scale_2);
  }
};

// Returns 2^-z for z in [0, 250] given to twice the precision.
HWY_INLINE Exp2Factors Exp2OfMinus(DoubleFloat z) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  const FloatVec shifted = hn::Sub(hn::Set(d, kRoundingShift), z.high);
  const FloatVec n = hn::Sub(shifted, hn::Set(d, kRoundingShift));
  const FloatVec fraction = Exp2Fraction(hn::Sub(hn::Neg(hn::Add(n, z.high)), z.low));
  const auto exponent =
      hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, hn::Set(d, kRoundingShift)));
  const auto half = hn::ShiftRight<1>(exponent);
  const auto power = [d, di](auto k) HWY_ATTR {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  return {fraction, power(half), power(hn::Sub(exponent, half))};
}

}  // namespace ocelli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OCELLI_KERNELS_EXP2_INL_H_
