// Vectors as a view of 16 virtual lanes, so that a sum has one order whatever the vector width:
// AVX2 holds them in two registers, AVX-512 in one, the scalar target in sixteen.

#if defined(OCELLI_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCELLI_KERNELS_LANES_INL_H_
#undef OCELLI_KERNELS_LANES_INL_H_
#else
#define OCELLI_KERNELS_LANES_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, 16>;
using FloatVec = hn::Vec<FloatTag>;
inline constexpr size_t kVecLanes = hn::MaxLanes(FloatTag());
inline constexpr size_t kVirtualLanes = 16;

// Loads `count` numbers, at most a vector; the lanes past them hold `pad`.
HWY_INLINE FloatVec LoadSome(const float* from, size_t count, float pad = 0.0f) {
  const FloatTag d;
  if (count == kVecLanes) return hn::LoadU(d, from);
  HWY_ALIGN float lanes[kVecLanes];
  hn::Store(hn::Set(d, pad), d, lanes);
  std::memcpy(lanes, from, count * sizeof(float));
  return hn::Load(d, lanes);
}

// Stores the first `count` lanes and touches nothing after them.
HWY_INLINE void StoreSome(FloatVec v, float* to, size_t count) {
  const FloatTag d;
  if (count == kVecLanes) return hn::StoreU(v, d, to);
  HWY_ALIGN float lanes[kVecLanes];
  hn::Store(v, d, lanes);
  std::memcpy(to, lanes, count * sizeof(float));
}

// Calls body(i, count) for each vector of [0, n): whole ones, then what is left.
template <class Body>
HWY_INLINE void ForVectors(size_t n, Body body) {
  size_t i = 0;
  for (; i + kVecLanes <= n; i += kVecLanes) body(i, kVecLanes);
  if (i < n) body(i, n - i);
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE float SumLanes(FloatTag, FloatVec v) { return hn::GetLane(v); }
HWY_INLINE float MaxLane(FloatTag, FloatVec v) { return hn::GetLane(v); }
#else
// Adds up the lanes of a vector: lane i with lane i + half, until one is left.
template <class D>
HWY_INLINE float SumLanes(D /*d*/, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return SumLanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// Returns the largest lane of a vector.
template <class D>
HWY_INLINE float MaxLane(D /*d*/, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return MaxLane(half, hn::Max(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

// Adds up kCount vectors that together are the virtual lanes of one sum, in halves as SumLanes.
template <size_t kCount>
HWY_INLINE float SumVectors(FloatVec (&parts)[kCount]) {
  for (size_t half = kCount / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) parts[i] = hn::Add(parts[i], parts[i + half]);
  }
  return SumLanes(FloatTag(), parts[0]);
}

// Folds x[i], i < n, into 64 virtual lanes of sums with sum = add(sum, x[i]), x[i] in lane i % 64,
// and returns their sum. The last partial group is filled with `pad`, which must add nothing.
template <class Add>
HWY_INLINE float SumOf(const float* x, size_t n, float pad, Add add) {
  constexpr size_t kGroup = 4 * kVirtualLanes;
  constexpr size_t kVectors = kGroup / kVecLanes;
  const FloatTag d;
  FloatVec sums[kVectors];
  for (FloatVec& sum : sums) sum = hn::Zero(d);
  const auto add_group = [&](const float* group) HWY_ATTR {
    for (size_t v = 0; v < kVectors; ++v) {
      sums[v] = add(sums[v], hn::LoadU(d, group + v * kVecLanes));
    }
  };
  size_t i = 0;
  for (; i + kGroup <= n; i += kGroup) add_group(x + i);
  if (i < n) {
    HWY_ALIGN float group[kGroup];
    for (float& value : group) value = pad;
    std::memcpy(group, x + i, (n - i) * sizeof(float));
    add_group(group);
  }
  return SumVectors(sums);
}

}  // namespace ocelli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OCELLI_KERNELS_LANES_INL_H_
