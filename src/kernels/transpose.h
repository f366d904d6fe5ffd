#ifndef OCELLI_KERNELS_TRANSPOSE_H_
#define OCELLI_KERNELS_TRANSPOSE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ocelli {

// Rows and columns of the square that TransposeSquare turns: what a 16-byte vector holds.
template <typename T>
inline constexpr size_t kSquare = 16 / sizeof(T);

// Transposes a square of `T` (2 or 4 bytes): out(c, r) = in(r, c). Interleaving the upper with the
// lower half of the rows moves one bit of the row number into the column number; doing it for every
// bit swaps the two. Vectors of the compiler, which every CPU has.
// **Shapes**: in, out [kSquare<T>, kSquare<T>]. **Units**: strides in elements.
template <typename T>
inline void TransposeSquare(const T* in, size_t in_stride, T* out, size_t out_stride) {
  constexpr size_t kSize = kSquare<T>;
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  typedef Bits Vector __attribute__((vector_size(16)));
  Vector lower, upper;  // which elements of two vectors, counted through both, interleave
  for (size_t i = 0; i < kSize; ++i) {
    lower[i] = static_cast<Bits>(i / 2 + i % 2 * kSize);
    upper[i] = static_cast<Bits>(lower[i] + kSize / 2);
  }
  Vector rows[kSize], next[kSize];
  for (size_t r = 0; r < kSize; ++r) std::memcpy(&rows[r], in + r * in_stride, sizeof(Vector));
  for (size_t bit = 1; bit < kSize; bit *= 2) {
    for (size_t i = 0; i < kSize / 2; ++i) {
      next[2 * i] = __builtin_shuffle(rows[i], rows[i + kSize / 2], lower);
      next[2 * i + 1] = __builtin_shuffle(rows[i], rows[i + kSize / 2], upper);
    }
    for (size_t r = 0; r < kSize; ++r) rows[r] = next[r];
  }
  for (size_t r = 0; r < kSize; ++r) std::memcpy(out + r * out_stride, &rows[r], sizeof(Vector));
}

}  // namespace ocelli

#endif  // OCELLI_KERNELS_TRANSPOSE_H_
