#ifndef OCELLI_BASE_BF16_H_
#define OCELLI_BASE_BF16_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace ocelli {

// A bfloat16 number: the upper half of a float32. Storage only, no arithmetic.
struct Bf16 {
  uint16_t bits = 0;
  friend bool operator==(Bf16, Bf16) = default;
};

// An IEEE binary16 number. Storage only, no arithmetic.
struct Float16 {
  uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};

// Widens `x`; exact.
inline float ToFloat(Bf16 x) { return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16); }

// Widens `x`; exact, also for denormals: shifted into place, every finite number is 2^112 too
// small.
inline float ToFloat(Float16 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
  const uint32_t shifted = static_cast<uint32_t>(x.bits & 0x7FFFu) << 13;
  const bool finite = shifted < (31u << 23);
  const float magnitude = std::bit_cast<float>(shifted) * 0x1p112f;
  const uint32_t bits = finite ? std::bit_cast<uint32_t>(magnitude) : shifted | 0x7F800000u;
  return std::bit_cast<float>(sign | bits);
}

// Returns true when `x` loses nothing as a bfloat16: its low 16 bits are zero.
inline bool IsExactBf16(float x) { return (std::bit_cast<uint32_t>(x) & 0xFFFFu) == 0; }

// Rounds `x` to the nearest bfloat16, ties to even; NaN stays NaN.
inline Bf16 RoundToBf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) return Bf16{static_cast<uint16_t>((bits >> 16) | 0x0040u)};
  const uint32_t rounding = 0x7FFFu + ((bits >> 16) & 1u);
  return Bf16{static_cast<uint16_t>((bits + rounding) >> 16)};
}

}  // namespace ocelli

#endif  // OCELLI_BASE_BF16_H_
