#ifndef OCELLI_ENGINE_RANDOM_H_
#define OCELLI_ENGINE_RANDOM_H_

#include <array>
#include <cstdint>

namespace ocelli {

// Returns four random words for a counter and a key. The same on every machine and library; there
// is no state to carry over a preemption or a rejected guess.
// **Ref**: Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC11).
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// Returns the number in [0, 1) that chooses token `index` of answer `choice`: 53 random bits.
double TokenUniform(uint64_t seed, uint32_t choice, uint64_t index);

// Returns a seed from the operating system, for requests that name none.
uint64_t RandomSeed();

}  // namespace ocelli

#endif  // OCELLI_ENGINE_RANDOM_H_
