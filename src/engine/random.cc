#include "engine/random.h"

#include <sys/random.h>

#include "base/check.h"

namespace ocelli {

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

double TokenUniform(uint64_t seed, uint32_t choice, uint64_t index) {
  const auto words =
      Philox4x32({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), choice, 0},
                 {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  const uint64_t bits = (uint64_t{words[0]} << 32 | words[1]) >> 11;
  return static_cast<double>(bits) * 0x1p-53;
}

uint64_t RandomSeed() {
  uint64_t seed = 0;
  const ssize_t got = getrandom(&seed, sizeof(seed), 0);
  OCELLI_CHECK(got == static_cast<ssize_t>(sizeof(seed)), "getrandom gave {}", got);
  return seed;
}

}  // namespace ocelli
