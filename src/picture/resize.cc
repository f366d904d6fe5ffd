#include "picture/resize.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/check.h"
#include "kernels/targets.h"
#include "picture/resize_taps.h"

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
// partial sums wrap modulo 2^32 and their total, which fits, is exact. Interleaving and narrowing
// undo each other within blocks of 128 bits, so scalable vectors are left out (CMakeLists.txt).

#ifndef OCELLI_PICTURE_RESIZE_CC_ONCE
#define OCELLI_PICTURE_RESIZE_CC_ONCE
namespace ocelli {
namespace {

constexpr size_t kBlockRows = 64;
constexpr size_t kLaneRows = 16;  // blocks of fewer rows are padded to a multiple of this

// Outputs [begin, end) of the horizontal pass and the inputs they read. Their columns stay in the
// second-level cache.
struct ColumnChunk {
  size_t begin;
  size_t end;
  size_t in_begin;
  size_t in_end;
};
constexpr size_t kChunkPixels = 1024;

// What every block of the horizontal pass shares.
struct HorizontalJob {
  const uint8_t* in;
  size_t in_stride;
  uint8_t* out;
  size_t out_stride;
  const BicubicTaps& taps;
  const std::vector<ColumnChunk>& chunks;
  size_t column_scratch_bytes;
};

// What every row of the vertical pass shares.
struct VerticalJob {
  const uint8_t* in;
  uint8_t* out;
  size_t stride;
  const BicubicTaps& taps;
};

}  // namespace
}  // namespace ocelli
#endif  // OCELLI_PICTURE_RESIZE_CC_ONCE

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
  hn::Vec<Words> high0, high1, low0, low1;

  // Written out so that it is compiled for the target.
  HWY_INLINE Sums()
      : high0(hn::Zero(Words())),
        high1(hn::Zero(Words())),
        low0(hn::Zero(Words())),
        low1(hn::Zero(Words())) {}

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

  HWY_INLINE ByteSums() {}

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

HWY_INLINE void WeightedVector(const uint8_t* rows, size_t stride, const TapRange& taps,
                               uint8_t* out) {
  ByteSums sums;
  size_t t = 0;
  for (; t + 2 <= taps.count; t += 2, rows += 2 * stride) {
    sums.Add(hn::LoadU(Bytes(), rows), hn::LoadU(Bytes(), rows + stride), taps.pairs[t / 2]);
  }
  if (t < taps.count) sums.Add(hn::LoadU(Bytes(), rows), hn::Zero(Bytes()), taps.pairs[t / 2]);
  hn::StoreU(sums.Clipped(), Bytes(), out);
}

// out [size] = the weighted sum of taps.count rows of `size` bytes, `stride` apart.
void WeightedRow(const uint8_t* rows, size_t stride, const TapRange& taps, uint8_t* out,
                 size_t size) {
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
HWY_INLINE void TransposeOneTile(const uint8_t* rows, size_t row_stride, size_t last_row,
                                 uint8_t* columns, size_t column_stride, size_t last_column) {
  hn::Vec<Tile> v[kTileBytes];
  for (size_t r = 0; r < kTileBytes; ++r)
    v[r] = hn::LoadU(Tile(), rows + std::min(r, last_row) * row_stride);
  TransposeTile(v);
  for (size_t c = 0; c <= std::min(last_column, kTileBytes - 1); ++c) {
    hn::StoreU(v[c], Tile(), columns + c * column_stride);
  }
}

// columns[c][r] = rows[r][c] for r < num_rows and c < num_columns. With room for whole tiles in the
// columns' rows: columns hold num_rows rounded up to kTileBytes. num_columns at least kTileBytes.
void TransposeIn(const uint8_t* rows, size_t row_stride, size_t num_rows, size_t num_columns,
                 uint8_t* columns, size_t column_stride) {
  for (size_t r = 0; r < num_rows; r += kTileBytes) {
    for (size_t at = 0; at < num_columns; at += kTileBytes) {
      const size_t c = std::min(at, num_columns - kTileBytes);
      TransposeOneTile(rows + r * row_stride + c, row_stride, num_rows - r - 1,
                       columns + c * column_stride + r, column_stride, kTileBytes - 1);
    }
  }
}

// The way back: rows[r][c] = columns[c][r].
void TransposeOut(const uint8_t* columns, size_t column_stride, size_t num_rows, size_t num_columns,
                  uint8_t* rows, size_t row_stride) {
  for (size_t r = 0; r < num_rows; r += kTileBytes) {
    for (size_t at = 0; at < num_columns; at += kTileBytes) {
      const size_t c = std::min(at, num_columns - kTileBytes);
      TransposeOneTile(columns + c * column_stride + r, column_stride, kTileBytes - 1,
                       rows + r * row_stride + c, row_stride, num_rows - r - 1);
    }
  }
}
#else
void WeightedRow(const uint8_t* rows, size_t stride, const TapRange& taps, uint8_t* out,
                 size_t size) {
  for (size_t x = 0; x < size; ++x) out[x] = WeightedByte(rows + x, stride, taps);
}
#endif

// Pixels between rows and columns, whichever way: fewer than a tile go one by one.
void RowsToColumns(const uint8_t* rows, size_t row_stride, size_t num_rows, size_t num_columns,
                   uint8_t* columns, size_t column_stride) {
#if HWY_TARGET != HWY_SCALAR
  if (num_columns >= kTileBytes)
    return TransposeIn(rows, row_stride, num_rows, num_columns, columns, column_stride);
#endif
  for (size_t c = 0; c < num_columns; ++c) {
    for (size_t r = 0; r < num_rows; ++r) columns[c * column_stride + r] = rows[r * row_stride + c];
  }
}

void ColumnsToRows(const uint8_t* columns, size_t column_stride, size_t num_rows,
                   size_t num_columns, uint8_t* rows, size_t row_stride) {
#if HWY_TARGET != HWY_SCALAR
  if (num_columns >= kTileBytes)
    return TransposeOut(columns, column_stride, num_rows, num_columns, rows, row_stride);
#endif
  for (size_t r = 0; r < num_rows; ++r) {
    for (size_t c = 0; c < num_columns; ++c)
      rows[r * row_stride + c] = columns[c * column_stride + r];
  }
}

// Resizes the width of image rows [first_row, first_row + num_rows). **Shapes**: scratch
// [job.column_scratch_bytes] for columns, then for results.
void HorizontalBlock(const HorizontalJob& job, size_t first_row, size_t num_rows,
                     uint8_t* scratch) {
  const size_t lanes = (num_rows + kLaneRows - 1) / kLaneRows * kLaneRows;
  const size_t pixel = 3 * lanes;
  uint8_t* results = scratch + job.column_scratch_bytes;
  for (const ColumnChunk& chunk : job.chunks) {
    RowsToColumns(job.in + first_row * job.in_stride + 3 * chunk.in_begin, job.in_stride, num_rows,
                  3 * (chunk.in_end - chunk.in_begin), scratch, lanes);
    for (size_t out = chunk.begin; out < chunk.end; ++out) {
      const TapRange taps = job.taps.Range(out);
      WeightedRow(scratch + (taps.first - chunk.in_begin) * pixel, pixel, taps,
                  results + (out - chunk.begin) * pixel, pixel);
    }
    ColumnsToRows(results, lanes, num_rows, 3 * (chunk.end - chunk.begin),
                  job.out + first_row * job.out_stride + 3 * chunk.begin, job.out_stride);
  }
}

// Makes output rows [begin, end).
void VerticalRows(const VerticalJob& job, size_t begin, size_t end) {
  for (size_t y = begin; y < end; ++y) {
    const TapRange taps = job.taps.Range(y);
    WeightedRow(job.in + taps.first * job.stride, job.stride, taps, job.out + y * job.stride,
                job.stride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ocelli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {
namespace {

HWY_EXPORT(HorizontalBlock);
HWY_EXPORT(VerticalRows);

std::vector<ColumnChunk> CutInChunks(const BicubicTaps& taps) {
  std::vector<ColumnChunk> chunks;
  for (size_t out = 0; out < taps.out_size(); ++out) {
    const TapRange range = taps.Range(out);
    const size_t in_end = range.first + range.count;
    if (chunks.empty() || in_end - chunks.back().in_begin > kChunkPixels ||
        out - chunks.back().begin >= kChunkPixels) {
      chunks.push_back(ColumnChunk{out, out, range.first, in_end});
    }
    chunks.back().end = out + 1;
    chunks.back().in_end = in_end;
  }
  return chunks;
}

size_t MaxColumns(const std::vector<ColumnChunk>& chunks) {
  size_t most = 0;
  for (const ColumnChunk& chunk : chunks) {
    most = std::max({most, chunk.end - chunk.begin, chunk.in_end - chunk.in_begin});
  }
  return most;
}

RgbImage BlankImage(int width_px, int height_px) {
  RgbImage image{width_px, height_px, {}};
  image.pixels.resize(static_cast<size_t>(height_px) * image.row_bytes());
  return image;
}

RgbImage ResizeWidth(const RgbImage& image, int width_px, ThreadPool& pool) {
  const BicubicTaps taps(image.width_px, width_px);
  const std::vector<ColumnChunk> chunks = CutInChunks(taps);
  RgbImage out = BlankImage(width_px, image.height_px);
  const size_t scratch_bytes = 3 * kBlockRows * MaxColumns(chunks);
  AlignedBuffer scratch(2 * scratch_bytes * static_cast<size_t>(pool.num_threads()));
  const HorizontalJob job{
      image.pixels.data(), image.row_bytes(), out.pixels.data(), out.row_bytes(), taps, chunks,
      scratch_bytes};
  const auto height = static_cast<size_t>(image.height_px);
  pool.ForEach((height + kBlockRows - 1) / kBlockRows, [&](size_t block, int worker) {
    const size_t first_row = block * kBlockRows;
    auto* mine = reinterpret_cast<uint8_t*>(scratch.data()) +
                 2 * scratch_bytes * static_cast<size_t>(worker);
    OCELLI_DISPATCH(HorizontalBlock)
    (job, first_row, std::min(kBlockRows, height - first_row), mine);
  });
  return out;
}

RgbImage ResizeHeight(const RgbImage& image, int height_px, ThreadPool& pool) {
  const BicubicTaps taps(image.height_px, height_px);
  RgbImage out = BlankImage(image.width_px, height_px);
  const VerticalJob job{image.pixels.data(), out.pixels.data(), out.row_bytes(), taps};
  pool.ForRanges(static_cast<size_t>(height_px), 1, [&](size_t begin, size_t end, int) {
    OCELLI_DISPATCH(VerticalRows)(job, begin, end);
  });
  return out;
}

// The order in which Pillow 13 makes its passes; it matters because each rounds.
bool HeightFirst(SizePx from, SizePx to) {
  return to.height_px < from.height_px &&
         int64_t{from.height_px} - to.height_px > 2 * (int64_t{from.width_px} - to.width_px);
}

}  // namespace

RgbImage ResizeBicubic(const RgbImage& image, SizePx size, ThreadPool& pool) {
  OCELLI_CHECK(
      size.width_px >= 1 && size.height_px >= 1 && image.width_px >= 1 && image.height_px >= 1,
      "resize {}x{} to {}x{}", image.width_px, image.height_px, size.width_px, size.height_px);
  const bool width_stays = size.width_px == image.width_px;
  const bool height_stays = size.height_px == image.height_px;
  if (width_stays && height_stays) return image;
  if (width_stays) return ResizeHeight(image, size.height_px, pool);
  if (height_stays) return ResizeWidth(image, size.width_px, pool);
  if (HeightFirst(image.size(), size)) {
    return ResizeWidth(ResizeHeight(image, size.height_px, pool), size.width_px, pool);
  }
  return ResizeHeight(ResizeWidth(image, size.width_px, pool), size.height_px, pool);
}

}  // namespace ocelli
#endif  // HWY_ONCE
