#ifndef OCELLI_MODEL_ALLOCATION_COUNTER_H_
#define OCELLI_MODEL_ALLOCATION_COUNTER_H_

#include <cstdint>

namespace ocelli {

// Returns how often this test program has taken memory so far, by operator new, aligned_alloc or
// mmap (the last two as called from our own rooms). Linking allocation_counter.cc counts.
uint64_t NumAllocations();

}  // namespace ocelli

#endif  // OCELLI_MODEL_ALLOCATION_COUNTER_H_
