#ifndef OCELLI_BASE_ROUNDING_H_
#define OCELLI_BASE_ROUNDING_H_

#include <cstddef>

namespace ocelli {

// Returns n / divisor, rounded up.
constexpr size_t DivideUp(size_t n, size_t divisor) { return (n + divisor - 1) / divisor; }

// Returns the smallest multiple of `multiple` that is at least n.
constexpr size_t RoundUp(size_t n, size_t multiple) { return DivideUp(n, multiple) * multiple; }

}  // namespace ocelli

#endif  // OCELLI_BASE_ROUNDING_H_
