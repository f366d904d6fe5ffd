#include "base/bf16.h"

#include <cmath>

namespace ocelli {

Bf16 RoundToBf16(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) return Bf16{static_cast<uint16_t>((bits >> 16) | 0x0040u)};
  const uint32_t rounding = 0x7FFFu + ((bits >> 16) & 1u);
  return Bf16{static_cast<uint16_t>((bits + rounding) >> 16)};
}

}  // namespace ocelli
