#include "picture/resize.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/aligned_buffer.h"
#include "picture/resize_taps.h"

// Interleaving and narrowing below are inverse to each other within blocks of 128 bits, which
// scalable vectors do not have.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "picture/resize.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Both passes are the same sum over rows: out[x] = clip(sum_t weight[t] * rows[t][x]). The vertical
// pass has its rows already. The horizontal pass works on blocks of kBlockRows rows that are turned
// on their side, so that a "row" is one column's pixel of the whole block, [3][kBlockRows]:
//
//   image rows            columns (scratch)                  results               image rows
//   r0: p0 p1 p2 ...      p0: R r0 r1.. G r0 r1.. B r0 ..    q0: R r0 r1 .. G ..   r0: q0 q1 ..
//   r1: p0 p1 p2 ...  ->  p1: R r0 r1.. G r0 r1.. B r0 ..  ->                   -> r1: q0 q1 ..
//
// No lane is wasted on a fourth channel and no sum runs across lanes. A 23-bit weight is split in
// two 16-bit parts because multiply-adds of 16-bit pairs are the cheapest exact ones everywhere;
// partial sums wrap modulo 2^32 and their total, which fits, is exact.

HWY_BEFORE_NAMESPACE();
namespace ocelli {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// One byte, the plain way: ends of rows, and targets without vectors.
uint8_t WeightedByte(const uint8_t* rows, size_t stride, const TapRange& taps) {
  uint32_t high = 0;
  uint32_t low = 1U << (kTapPrecisionBits - 1);
  for (size_t t = 0; t < taps.count; ++t) {
    const TapPair pair = taps.pairs[t / 2];
    const uint32_t shift = t % 2 * 16;
    const auto high_part = static_cast<uint32_t>(static_cast<int16_t>(pair.high >> shift));
    high += high_part * rows[t * stride];
    low += (pair.low >> shift & 0xffff) * rows[t * stride];
  }
  const int32_t sum = static_cast<int32_t>((high << kTapLowBits) + low) >> kTapPrecisionBits;
  return static_cast<uint8_t>(std::clamp(sum, 0, 255));
}

#if HWY_TARGET != HWY_SCALAR
using Bytes = hn::ScalableTag<uint8_t>;
using Shorts = hn::Repartition<int16_t, Bytes>;
using Words = hn::Repartition<int32_t, Bytes>;

// The sums of a quarter of a byte vector's lanes.
struct Sums {
  hn::Vec<Words> high0 = hn::Zero(Words());
  hn::Vec<Words> high1 = hn::Zero(Words());
  hn::Vec<Words> low0 = hn::Zero(Words());
  hn::Vec<Words> low1 = hn::Zero(Words());

  HWY_INLINE void Add(hn::Vec<Shorts> pixels, hn::Vec<Shorts> high, hn::Vec<Shorts> low) {
    high0 = hn::ReorderWidenMulAccumulate(Words(), pixels, high, high0, high1);
    low0 = hn::ReorderWidenMulAccumulate(Words(), pixels, low, low0, low1);
  }
  HWY_INLINE hn::Vec<Words> Rounded() const {
    const auto high = hn::ShiftLeft<kTapLowBits>(hn::RearrangeToOddPlusEven(high0, high1));
    const auto low = hn::RearrangeToOddPlusEven(low0, low1);
    const auto half = hn::Set(Words(), 1 << (kTapPrecisionBits - 1));
    return hn::ShiftRight<kTapPrecisionBits>(hn::Add(hn::Add(high, low), half));
  }
};

// Even and odd bytes are summed apart, each widened to 16 bits by one instruction, and put together
// again by a shift.
struct ByteSums {
  Sums even_lower, even_upper, odd_lower, odd_upper;

  HWY_INLINE void Add(hn::Vec<Bytes> first, hn::Vec<Bytes> second, const TapPair& pair) {
    const auto high = hn::BitCast(Shorts(), hn::Set(hn::RebindToUnsigned<Words>(), pair.high));
    const auto low = hn::BitCast(Shorts(), hn::Set(hn::RebindToUnsigned<Words>(), pair.low));
    const auto first_even = EvenBytes(first), second_even = EvenBytes(second);
    const auto first_odd = OddBytes(first), second_odd = OddBytes(second);
    even_lower.Add(hn::InterleaveLower(Shorts(), first_even, second_even), high, low);
    even_upper.Add(hn::InterleaveUpper(Shorts(), first_even, second_even), high, low);
    odd_lower.Add(hn::InterleaveLower(Shorts(), first_odd, second_odd), high, low);
    odd_upper.Add(hn::InterleaveUpper(Shorts(), first_odd, second_odd), high, low);
  }
  HWY_INLINE hn::Vec<Bytes> Clipped() const {
    const auto even = Clip(even_lower, even_upper);
    const auto odd = Clip(odd_lower, odd_upper);
    return hn::BitCast(Bytes(), hn::Or(even, hn::ShiftLeft<8>(odd)));
  }

 private:
  static HWY_INLINE hn::Vec<Shorts> EvenBytes(hn::Vec<Bytes> v) {
    return hn::And(hn::BitCast(Shorts(), v), hn::Set(Shorts(), 0xff));
  }
  static HWY_INLINE hn::Vec<Shorts> OddBytes(hn::Vec<Bytes> v) {
    const hn::RebindToUnsigned<Shorts> unsigned_shorts;
    return hn::BitCast(Shorts(), hn::ShiftRight<8>(hn::BitCast(unsigned_shorts, v)));
  }
  static HWY_INLINE hn::Vec<Shorts> Clip(const Sums& lower, const Sums& upper) {
    const auto sums = hn::ReorderDemote2To(Shorts(), lower.Rounded(), upper.Rounded());
    return hn::Min(hn::Max(sums, hn::Zero(Shorts())), hn::Set(Shorts(), 255));
  }
};

HWY_INLINE void WeightedVector(const uint8_t* rows, size_t stride, const TapRange& taps, uint8_t* out) {
  ByteSums sums;
  size_t t = 0;
  for (; t + 2 <= taps.count; t += 2, rows += 2 * stride) {
    sums.Add(hn::LoadU(Bytes(), rows), hn::LoadU(Bytes(), rows + stride), taps.pairs[t / 2]);
  }
  if (t < taps.count) sums.Add(hn::LoadU(Bytes(), rows), hn::Zero(Bytes()), taps.pairs[t / 2]);
  hn::StoreU(sums.Clipped(), Bytes(), out);
}

// out [size] = the weighted sum of taps.count rows of `size` bytes, `stride` apart.
void WeightedRow(const uint8_t* rows, size_t stride, const TapRange& taps, uint8_t* out, size_t size) {
  const size_t lanes = hn::Lanes(Bytes());
  size_t x = 0;
  for (; x + lanes <= size; x += lanes) WeightedVector(rows + x, stride, taps, out + x);
  if (x == size) return;
  if (size >= lanes) return WeightedVector(rows + size - lanes, stride, taps, out + size - lanes);
  for (; x < size; ++x) out[x] = WeightedByte(rows + x, stride, taps);
}

using Tile = hn::FixedTag<uint8_t, 16>;
constexpr size_t kTileBytes = 16;

// Transposes 16x16 bytes: four times, row i meets row i + 8.
HWY_INLINE void TransposeTile(hn::Vec<Tile> (&v)[kTileBytes]) {
  for (int stage = 0; stage < 4; ++stage) {
    hn::Vec<Tile> next[kTileBytes];
    for (size_t i = 0; i < kTileBytes / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(Tile(), v[i], v[i + 8]);
      next[2 * i + 1] = hn::InterleaveUpper(Tile(), v[i], v[i + 8]);
    }
    for (size_t i = 0; i < kTileBytes; ++i) v[i] = next[i];
  }
}

// columns[c][r] = rows[r][c], one tile.
HWY_INLINE void TransposeOneTile(const uint8_t* rows, size_t row_stride, size_t last_row, uint8_t* columns,
                                 size_t column_stride, size_t last_column) {
  hn::Vec<Tile> v[kTileBytes];
  for (size_t r = 0; r < kTileBytes; ++r) v[r] = hn::LoadU(Tile(), rows + std::min(r, last_row) * row_stride);
  TransposeTile(v);
  for (size_t c = 0; c <= std::min(last_column, kTileBytes - 1); ++c) {
    hn::StoreU(v[c], Tile(), columns + c * column_stride);
  }
}

// columns[c][r] = rows[r][c] for r < num_rows and c < num_columns. With room for whole tiles in the
// columns' rows: columns hold num_rows rounded up to kTileBytes. num_columns at least kTileBytes.
void TransposeIn(const uint8_t* rows, size_t row_stride, size_t num_rows, size_t num_columns, uint8_t* columns,
                 size_t column_stride) {
  for (size_t r = 0; r < num_rows; r += kTileBytes) {
    for (size_t at = 0; at < num_columns; at += kTileBytes) {
      const size_t c = std::min(at, num_columns - kTileBytes);
      TransposeOneTile(rows + r * row_stride + c, row_stride, num_rows - r - 1, columns + c * column_stride + r,
                       column_stride, kTileBytes - 1);
    }
  }
}

// The way back: rows[r][c] = columns[c][r].
void TransposeOut(const uint8_t* columns, size_t column_stride, size_t num_rows, size_t num_columns, uint8_t* rows,
                  size_t row_stride) {
  for (size_t r = 0; r < num_rows; r += kTileBytes) {
    for (size_t at = 0; at < num_columns; at += kTileBytes) {
      const size_t c = std::min(at, num_columns - kTileBytes);
      TransposeOneTile(columns + c * column_stride + r, column_stride, kTileBytes - 1, rows + r * row_stride + c,
                       row_stride, num_rows - r - 1);
    }
  }
}
#else
constexpr size_t kTileBytes = 1 << 30;  // never enough columns: always the plain way

void WeightedRow(const uint8_t* rows, size_t stride, const TapRange& taps, uint8_t* out, size_t size) {
  for (size_t x = 0; x < size; ++x) out[x] = WeightedByte(rows + x, stride, taps);
}
void TransposeIn(const uint8_t*, size_t, size_t, size_t, uint8_t*, size_t) {}
void TransposeOut(const uint8_t*, size_t, size_t, size_t, uint8_t*, size_t) {}
#endif

// Pixels between rows and columns, whichever way: fewer than a tile go one by one.
void RowsToColumns(const uint8_t* rows, size_t row_stride, size_t num_rows, size_t num_columns, uint8_t* columns,
                   size_t column_stride) {
  if (num_columns >= kTileBytes) return TransposeIn(rows, row_stride, num_rows, num_columns, columns, column_stride);
  for (size_t c = 0; c < num_columns; ++c) {
    for (size_t r = 0; r < num_rows; ++r) columns[c * column_stride + r] = rows[r * row_stride + c];
  }
}

void ColumnsToRows(const uint8_t* columns, size_t column_stride, size_t num_rows, size_t num_columns, uint8_t* rows,
                   size_t row_stride) {
  if (num_columns >= kTileBytes) return TransposeOut(columns, column_stride, num_rows, num_columns, rows, row_stride);
  for (size_t r = 0; r < num_rows; ++r) {
    for (size_t c = 0; c < num_columns; ++c) rows[r * row_stride + c] = columns[c * column_stride + r];
  }
}

}  // namespace

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ocelli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {
namespace {

HWY_EXPORT(WeightedRow);

}  // namespace
}  // namespace ocelli
#endif  // HWY_ONCE
