// The vector operations of Linear, per target. Included once per target by foreach_target.h.
#if defined(OCELLI_KERNELS_LINEAR_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCELLI_KERNELS_LINEAR_LANES_INL_H_
#undef OCELLI_KERNELS_LINEAR_LANES_INL_H_
#else
#define OCELLI_KERNELS_LINEAR_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/packed12.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Highway's scalar vectors have one lane. Four lanes of the compiler's own vectors suit the
// baseline of every CPU (SSE2 on x86) and cost nothing elsewhere. No fused multiply-add: it would
// be a call into libm, so only here the product is rounded before it is added.
typedef float Lanes __attribute__((vector_size(16)));
typedef uint16_t HalfLanes __attribute__((vector_size(16)));
constexpr size_t kLanes = 4;

HWY_INLINE Lanes LoadUnaligned(const float* p) {
  Lanes lanes;
  std::memcpy(&lanes, p, sizeof(lanes));
  return lanes;
}
HWY_INLINE void StoreUnaligned(Lanes lanes, float* p) { std::memcpy(p, &lanes, sizeof(lanes)); }
HWY_INLINE Lanes LoadLanes(const float* p) { return LoadUnaligned(p); }
HWY_INLINE void StoreLanes(Lanes lanes, float* p) { StoreUnaligned(lanes, p); }
HWY_INLINE Lanes Zero() { return Lanes{}; }
HWY_INLINE Lanes Broadcast(float x) { return Lanes{x, x, x, x}; }
HWY_INLINE Lanes Sum(Lanes a, Lanes b) { return a + b; }
HWY_INLINE Lanes MultiplyAdd(Lanes a, Lanes b, Lanes c) { return a * b + c; }

// Widens 16 bfloat16 numbers to four vectors.
HWY_INLINE void WidenShuffled(const std::byte* line, Lanes* HWY_RESTRICT out) {
  for (size_t half = 0; half < 2; ++half) {
    HalfLanes v;
    std::memcpy(&v, line + half * sizeof(v), sizeof(v));
    const HalfLanes zero = {};
    const HalfLanes lower = __builtin_shuffle(zero, v, HalfLanes{0, 8, 0, 9, 0, 10, 0, 11});
    const HalfLanes upper = __builtin_shuffle(zero, v, HalfLanes{0, 12, 0, 13, 0, 14, 0, 15});
    out[2 * half] = reinterpret_cast<Lanes>(lower);
    out[2 * half + 1] = reinterpret_cast<Lanes>(upper);
  }
}
HWY_INLINE void Unshuffle(Lanes* HWY_RESTRICT) {}

// The exponent bytes of a panel, as Decode12 wants them.
struct Exponents {
  explicit Exponents(const Packed12Table& from) : table(from) {}
  const Packed12Table& table;
};

// Decodes four lines of 12-bit weights, kLanes lanes of each, into `out`; see packed12.h.
template <size_t kQuad>
HWY_INLINE void Decode12(const std::byte* sign_mantissa, const std::byte* places,
                         const Exponents& exponents, Lanes (&out)[4]) {
  for (size_t i = 0; i < 4; ++i) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const size_t index = Packed12Index(i, lane);
      const auto bits = static_cast<unsigned>(sign_mantissa[index]);
      const unsigned place = static_cast<unsigned>(places[index]) >> (4 * kQuad) & 15u;
      const unsigned high = exponents.table.high[place] | (bits & 0x80u);
      const unsigned low = exponents.table.low[place] | (bits & 0x7Fu);
      const uint32_t number = high << 24 | low << 16;
      std::memcpy(reinterpret_cast<float*>(&out[i]) + lane, &number, sizeof(number));
    }
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using LanesTag = hn::CappedTag<float, 16>;
using Lanes = hn::Vec<LanesTag>;
constexpr size_t kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;

HWY_INLINE Lanes LoadUnaligned(const float* p) { return hn::LoadU(LanesTag(), p); }
HWY_INLINE void StoreUnaligned(Lanes lanes, float* p) { hn::StoreU(lanes, LanesTag(), p); }
HWY_INLINE Lanes LoadLanes(const float* p) { return hn::Load(LanesTag(), p); }
HWY_INLINE void StoreLanes(Lanes lanes, float* p) { hn::Store(lanes, LanesTag(), p); }
HWY_INLINE Lanes Zero() { return hn::Zero(LanesTag()); }
HWY_INLINE Lanes Broadcast(float x) { return hn::Set(LanesTag(), x); }
HWY_INLINE Lanes Sum(Lanes a, Lanes b) { return hn::Add(a, b); }
HWY_INLINE Lanes MultiplyAdd(Lanes a, Lanes b, Lanes c) { return hn::MulAdd(a, b, c); }

using ByteTag = hn::Repartition<uint8_t, LanesTag>;

// The exponent bytes of a panel, once in each 128-bit block, as Decode12 wants them.
struct Exponents {
  explicit HWY_INLINE Exponents(const Packed12Table& table)
      : high(hn::LoadDup128(ByteTag(), table.high.data())),
        low(hn::LoadDup128(ByteTag(), table.low.data())) {}
  hn::Vec<ByteTag> high, low;
};

// Decodes four lines of 12-bit weights, kLanes lanes of each, into `out`; see packed12.h. Shifts
// and masks split the pairs of numbers, because shuffles are what the CPU has fewest of.
template <size_t kQuad>
HWY_INLINE void Decode12(const std::byte* sign_mantissa, const std::byte* places,
                         const Exponents& exponents, Lanes (&out)[4]) {
  const ByteTag d8;
  const hn::Repartition<uint16_t, LanesTag> d16;
  const hn::Repartition<uint32_t, LanesTag> d32;
  const auto bits = hn::Load(d8, reinterpret_cast<const uint8_t*>(sign_mantissa));
  auto place = hn::Load(d8, reinterpret_cast<const uint8_t*>(places));
  if constexpr (kQuad == 1) {
    place = hn::BitCast(d8, hn::ShiftRight<4>(hn::BitCast(d16, place)));
  }
  place = hn::And(place, hn::Set(d8, 0x0F));
  const auto high = hn::OrAnd(hn::TableLookupBytes(exponents.high, place), bits, hn::Set(d8, 0x80));
  const auto low = hn::OrAnd(hn::TableLookupBytes(exponents.low, place), bits, hn::Set(d8, 0x7F));
  const auto first = hn::BitCast(d32, hn::InterleaveLower(d8, low, high));
  const auto second = hn::BitCast(d32, hn::InterleaveUpper(d8, low, high));
  const auto upper_half = hn::Set(d32, 0xFFFF0000u);
  out[0] = hn::BitCast(LanesTag(), hn::ShiftLeft<16>(first));
  out[1] = hn::BitCast(LanesTag(), hn::And(first, upper_half));
  out[2] = hn::BitCast(LanesTag(), hn::ShiftLeft<16>(second));
  out[3] = hn::BitCast(LanesTag(), hn::And(second, upper_half));
}

#if HWY_TARGET == HWY_AVX3

// One shuffle puts each number in the upper half of its lane and zeros in the lower: half the work
// of a conversion and a shift, on the ports that multiply-adds need.
HWY_INLINE void WidenShuffled(const std::byte* line, Lanes* HWY_RESTRICT out) {
  alignas(64) static constexpr uint16_t kFrom[32] = {0, 0,  0, 1,  0, 2,  0, 3,  0, 4, 0,
                                                     5, 0,  6, 0,  7, 0,  8, 0,  9, 0, 10,
                                                     0, 11, 0, 12, 0, 13, 0, 14, 0, 15};
  constexpr __mmask32 kUpperHalves = 0xAAAAAAAAu;
  const __m512i numbers =
      _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(line)));
  out[0] = Lanes{_mm512_castsi512_ps(
      _mm512_maskz_permutexvar_epi16(kUpperHalves, _mm512_load_si512(kFrom), numbers))};
}
HWY_INLINE void Unshuffle(Lanes* HWY_RESTRICT) {}

#else

// Interleaving with zeros widens in one step a vector, but within 128-bit blocks: with two blocks
// the numbers come as 0-3 8-11 and 4-7 12-15, which Unshuffle mends once per sum, not once per
// line.
HWY_INLINE void WidenShuffled(const std::byte* line, Lanes* HWY_RESTRICT out) {
  const hn::Repartition<uint16_t, LanesTag> d16;
  const auto zero = hn::Zero(d16);
  for (size_t v = 0; v < 16 / kLanes; v += 2) {
    const auto numbers = hn::Load(d16, reinterpret_cast<const uint16_t*>(line) + v * kLanes);
    out[v] = hn::BitCast(LanesTag(), hn::InterleaveLower(d16, zero, numbers));
    out[v + 1] = hn::BitCast(LanesTag(), hn::InterleaveUpper(d16, zero, numbers));
  }
}
HWY_INLINE void Unshuffle([[maybe_unused]] Lanes* HWY_RESTRICT sums) {
#if HWY_TARGET == HWY_AVX2
  const Lanes first = sums[0];
  sums[0] = hn::ConcatLowerLower(LanesTag(), sums[1], first);
  sums[1] = hn::ConcatUpperUpper(LanesTag(), sums[1], first);
#endif
}

#endif
#endif

}  // namespace HWY_NAMESPACE
}  // namespace ocelli
HWY_AFTER_NAMESPACE();

#endif  // include guard
