#include "kernels/linear_kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/bf16.h"
#include "kernels/linear.h"
#include "kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/linear_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli {
namespace HWY_NAMESPACE {

// Tile sizes: enough independent sums to hide the latency of a fused multiply-add on both ports,
// and few enough loads per multiply-add, within the registers of the target. SumPanel needs more
// registers for the weights than SumBlock. Up to kStreamRows rows it is the faster of the two, for
// its weights are not widened to memory first; 12-bit ones cost more to decode again for every tile
// of rows (measured on Sapphire Rapids, AVX2 there too; the others are guesses). A task of
// kTaskRows rows keeps 1 KiB per row in the L2 cache: CPUs with AVX-512 have 1 MiB or more, others
// may have 512 KiB.
#if HWY_TARGET == HWY_AVX3
constexpr size_t kTileRows = 14, kTilePanels = 2, kTaskRows = 512;
constexpr size_t kStreamTileRows = 16, kStreamRows = 16, kSumRegisters = 24;
constexpr size_t kStreamRows12 = 16;
#elif HWY_TARGET == HWY_AVX2
constexpr size_t kTileRows = 6, kTilePanels = 1, kTaskRows = 256;
constexpr size_t kStreamTileRows = 5, kStreamRows = 10, kSumRegisters = 12;
constexpr size_t kStreamRows12 = 4;
#elif HWY_TARGET == HWY_NEON
constexpr size_t kTileRows = 6, kTilePanels = 1, kTaskRows = 256;
constexpr size_t kStreamTileRows = 6, kStreamRows = 12, kSumRegisters = 24;
constexpr size_t kStreamRows12 = 6;
#else
constexpr size_t kTileRows = 2, kTilePanels = 1, kTaskRows = 256;
constexpr size_t kStreamTileRows = 2, kStreamRows = 4, kSumRegisters = 8;
constexpr size_t kStreamRows12 = 4;
#endif
static_assert(kTaskRows <= kMaxTaskRows && kTileRows <= kMaxTileRows &&
              kTilePanels <= kMaxTilePanels);

// Sums of SumPanel12 that fit beside the vectors it decodes into.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr size_t kSumRegisters12 = 16;
#else
constexpr size_t kSumRegisters12 = 6;
#endif

constexpr size_t kVectors = kPanelRows / kLanes;  // per panel line

// How far ahead SumPanel prefetches: 16 KiB of bfloat16 weights.
constexpr size_t kPrefetchBlocks = 4;

// Adds the escapes of a panel to the sums of a block.
template <size_t kRows, size_t kWidth>
HWY_INLINE void AddEscapes(const float* HWY_RESTRICT x, const BlockEscapes& escapes, size_t vector,
                           Lanes (&sum)[kRows][kWidth]) {
  for (size_t i = 0; i < escapes.count; ++i) {
    const Escape& escape = escapes.first[i];
    // The other lanes add 0, which changes nothing.
    alignas(kCacheLineBytes) float line[kPanelRows] = {};
    line[escape.lane] = ToFloat(Bf16{escape.weight});
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const Lanes input = Broadcast(x[escape.input * kRows + r]);
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][vector + v] = MultiplyAdd(input, LoadLanes(line + v * kLanes), sum[r][vector + v]);
      }
    }
  }
}

// The same for one vector of the panel's lines; most escapes are in another, where there are
// several.
template <size_t kRows>
HWY_INLINE void AddEscapes12(const float* HWY_RESTRICT x, const BlockEscapes& escapes,
                             size_t vector, Lanes (&sum)[kRows]) {
  for (size_t i = 0; i < escapes.count; ++i) {
    const Escape& escape = escapes.first[i];
    if (escape.lane / kLanes != vector) continue;
    alignas(kCacheLineBytes) float line[kLanes] = {};
    line[escape.lane % kLanes] = ToFloat(Bf16{escape.weight});
    const Lanes weights = LoadLanes(line);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] = MultiplyAdd(Broadcast(x[escape.input * kRows + r]), weights, sum[r]);
    }
  }
}

template <size_t kRows>
void SumBlock(const float* HWY_RESTRICT x, const BlockWeights& w, size_t num_inputs, bool first,
              const WeightsAhead& ahead, float* HWY_RESTRICT totals) {
  constexpr size_t kWidth = kTilePanels * kVectors;
  Lanes sum[kRows][kWidth];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kWidth; ++v) sum[r][v] = Zero();
  }
  for (size_t i = 0; i < kRows * kWidth * kLanes; i += 16) __builtin_prefetch(totals + i);
  const float* HWY_RESTRICT lines = w.lines;
  uintptr_t wanted = ahead.lines;
#pragma GCC unroll 2
  for (size_t k = 0; k < num_inputs; ++k, wanted += ahead.step) {
    __builtin_prefetch(x + (k + kSumBlockInputs) * kRows);  // the next tile, from the L2 cache
#pragma GCC unroll 16
    for (size_t p = 0; p < kTilePanels; ++p) {
      __builtin_prefetch(reinterpret_cast<const void*>(wanted + p * ahead.panel_stride));
    }
    Lanes weights[kWidth];
#pragma GCC unroll 16
    for (size_t v = 0; v < kWidth; ++v) {
      weights[v] =
          LoadLanes(lines + v / kVectors * w.panel_stride + k * kPanelRows + v % kVectors * kLanes);
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const Lanes input = Broadcast(x[k * kRows + r]);
#pragma GCC unroll 16
      for (size_t v = 0; v < kWidth; ++v) sum[r][v] = MultiplyAdd(input, weights[v], sum[r][v]);
    }
  }
#pragma GCC unroll 16
  for (size_t p = 0; p < kTilePanels; ++p) AddEscapes(x, w.escapes[p], p * kVectors, sum);
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kWidth; ++v) {
      float* total = totals + (r * kWidth + v) * kLanes;
      StoreLanes(first ? sum[r][v] : Sum(LoadLanes(total), sum[r][v]), total);
    }
  }
}

// How SumPanel reads a line of weights.
struct ReadBf16 {
  static constexpr size_t kBytes = 2;
  static HWY_INLINE void Line(const std::byte* line, Lanes* HWY_RESTRICT out) {
    WidenShuffled(line, out);
  }
  static HWY_INLINE void Restore(Lanes* HWY_RESTRICT sums) { Unshuffle(sums); }
};
struct ReadFloat32 {
  static constexpr size_t kBytes = 4;
  static HWY_INLINE void Line(const std::byte* line, Lanes* HWY_RESTRICT out) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      out[v] = LoadLanes(reinterpret_cast<const float*>(line) + v * kLanes);
    }
  }
  static HWY_INLINE void Restore(Lanes* HWY_RESTRICT) {}
};

// One input of kBlocks blocks that are summed side by side.
template <class Reader, size_t kRows, size_t kBlocks>
HWY_INLINE void SumInput(const float* HWY_RESTRICT x, const std::byte* HWY_RESTRICT w,
                         Lanes (&sum)[kBlocks][kRows][kVectors]) {
#pragma GCC unroll 16
  for (size_t b = 0; b < kBlocks; ++b) {
    Lanes weights[kVectors];
    Reader::Line(w + b * kSumBlockInputs * kPanelRows * Reader::kBytes, weights);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const Lanes input = Broadcast(x[b * kSumBlockInputs * kRows + r]);
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) {
        sum[b][r][v] = MultiplyAdd(input, weights[v], sum[b][r][v]);
      }
    }
  }
}

// Asks for the two lines that SumPanel needs kPrefetchBlocks blocks later.
template <class Reader, size_t kBlocks>
HWY_INLINE void PrefetchLines(const std::byte* w) {
  constexpr size_t kBlockBytes = kSumBlockInputs * kPanelRows * Reader::kBytes;
#pragma GCC unroll 16
  for (size_t b = 0; b < kBlocks; ++b) {
    const std::byte* next = w + (b + kPrefetchBlocks) * kBlockBytes;
    __builtin_prefetch(next);
    if (Reader::kBytes == 4) __builtin_prefetch(next + kCacheLineBytes);
  }
}

// Adds kBlocks blocks to `total`, summing them side by side: each is its own chain, so they hide
// each other's latency, while the weights are still read nearly in order.
template <class Reader, size_t kRows, size_t kBlocks>
HWY_INLINE void SumBlocks(const float* HWY_RESTRICT x, const std::byte* HWY_RESTRICT w,
                          size_t num_inputs, bool first, Lanes (&total)[kRows][kVectors]) {
  constexpr size_t kLineBytes = kPanelRows * Reader::kBytes;
  Lanes sum[kBlocks][kRows][kVectors];
#pragma GCC unroll 16
  for (size_t b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) sum[b][r][v] = Zero();
    }
  }
  size_t k = 0;
  for (; k + 2 <= num_inputs; k += 2) {
    PrefetchLines<Reader, kBlocks>(w + k * kLineBytes);
    SumInput<Reader, kRows, kBlocks>(x + k * kRows, w + k * kLineBytes, sum);
    SumInput<Reader, kRows, kBlocks>(x + (k + 1) * kRows, w + (k + 1) * kLineBytes, sum);
  }
  if (k < num_inputs) SumInput<Reader, kRows, kBlocks>(x + k * kRows, w + k * kLineBytes, sum);
#pragma GCC unroll 16
  for (size_t b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) {
        total[r][v] = first && b == 0 ? sum[b][r][v] : Sum(total[r][v], sum[b][r][v]);
      }
    }
  }
}

template <class Reader, size_t kRows>
void SumPanel(const float* HWY_RESTRICT x, const PanelView& view, size_t num_inputs,
              float* HWY_RESTRICT totals) {
  const std::byte* HWY_RESTRICT panel = view.lines;
  constexpr size_t kFit = kSumRegisters / (kRows * kVectors);
  constexpr size_t kBlocks = kFit >= 4 ? 4 : kFit >= 2 ? 2 : 1;
  constexpr size_t kLineBytes = kPanelRows * Reader::kBytes;
  Lanes total[kRows][kVectors];
  for (size_t r = 0; r < kRows; ++r) {
    for (size_t v = 0; v < kVectors; ++v) total[r][v] = Zero();
  }
  size_t k = 0;
  for (; k + kBlocks * kSumBlockInputs <= num_inputs; k += kBlocks * kSumBlockInputs) {
    SumBlocks<Reader, kRows, kBlocks>(x + k * kRows, panel + k * kLineBytes, kSumBlockInputs,
                                      k == 0, total);
  }
  for (; k < num_inputs; k += kSumBlockInputs) {
    SumBlocks<Reader, kRows, 1>(x + k * kRows, panel + k * kLineBytes,
                                std::min(kSumBlockInputs, num_inputs - k), k == 0, total);
  }
  for (size_t r = 0; r < kRows; ++r) {
    Reader::Restore(total[r]);
    for (size_t v = 0; v < kVectors; ++v) {
      StoreLanes(total[r][v], totals + r * kPanelRows + v * kLanes);
    }
  }
}

// ---- 12-bit weights: as above, but eight lines at a time, one vector of each line after the
// other.

template <size_t kRows, size_t kQuad>
HWY_INLINE void SumQuad12(const float* HWY_RESTRICT x, const std::byte* HWY_RESTRICT unit,
                          const Exponents& exponents, Lanes (&sum)[kRows]) {
  Lanes weights[4];
  Decode12<kQuad>(unit + kQuad * 64, unit + 128, exponents, weights);
#pragma GCC unroll 16
  for (size_t i = 0; i < 4; ++i) {
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] = MultiplyAdd(Broadcast(x[(kQuad * 4 + i) * kRows + r]), weights[i], sum[r]);
    }
  }
}

// The block's chain over lines that do not fill a unit; stops where the inputs end.
template <size_t kRows>
HWY_INLINE void SumTail12(const float* HWY_RESTRICT x, const std::byte* HWY_RESTRICT unit,
                          size_t num_inputs, const Exponents& exponents, Lanes (&sum)[kRows]) {
  Lanes weights[2][4];
  Decode12<0>(unit, unit + 128, exponents, weights[0]);
  Decode12<1>(unit + 64, unit + 128, exponents, weights[1]);
  for (size_t i = 0; i < num_inputs; ++i) {
    for (size_t r = 0; r < kRows; ++r) {
      sum[r] = MultiplyAdd(Broadcast(x[i * kRows + r]), weights[i / 4][i % 4], sum[r]);
    }
  }
}

// Adds kBlocks blocks to `total`, one vector of the panel's lines; see SumBlocks.
template <size_t kRows, size_t kBlocks>
HWY_INLINE void SumBlocks12(const float* HWY_RESTRICT x, const std::byte* HWY_RESTRICT units,
                            size_t num_inputs, bool first, const Exponents& exponents,
                            const BlockEscapes (&escapes)[kBlocks], size_t vector,
                            float* HWY_RESTRICT total) {
  constexpr size_t kBlockBytes = kSumBlockInputs / kUnitLines * kUnitBytes;
  Lanes sum[kBlocks][kRows];
#pragma GCC unroll 16
  for (size_t b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) sum[b][r] = Zero();
  }
  const std::byte* unit = units + vector * kLanes * 4;
  size_t k = 0;
  for (; k + kUnitLines <= num_inputs; k += kUnitLines, unit += kUnitBytes) {
#pragma GCC unroll 16
    for (size_t b = 0; b < kBlocks; ++b) {
      const std::byte* here = unit + b * kBlockBytes;
      for (size_t line = 0; line < kUnitBytes && vector == 0; line += kCacheLineBytes) {
        __builtin_prefetch(here + kPrefetchBlocks * kBlockBytes + line);
      }
      const float* inputs = x + (b * kSumBlockInputs + k) * kRows;
      SumQuad12<kRows, 0>(inputs, here, exponents, sum[b]);
      SumQuad12<kRows, 1>(inputs, here, exponents, sum[b]);
    }
  }
  if (k < num_inputs) SumTail12<kRows>(x + k * kRows, unit, num_inputs - k, exponents, sum[0]);
#pragma GCC unroll 16
  for (size_t b = 0; b < kBlocks; ++b) {
    AddEscapes12<kRows>(x + b * kSumBlockInputs * kRows, escapes[b], vector, sum[b]);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      float* at = total + r * kPanelRows + vector * kLanes;
      StoreLanes(first && b == 0 ? sum[b][r] : Sum(LoadLanes(at), sum[b][r]), at);
    }
  }
}

template <size_t kRows, size_t kBlocks>
HWY_INLINE void SumPanelBlocks12(const float* HWY_RESTRICT x, const PanelView& panel, size_t k,
                                 size_t num_inputs, const Exponents& exponents,
                                 float* HWY_RESTRICT totals) {
  const std::byte* units = panel.lines + k / kUnitLines * kUnitBytes;
  BlockEscapes escapes[kBlocks];
  for (size_t b = 0; b < kBlocks; ++b) escapes[b] = EscapesOf(panel, k / kSumBlockInputs + b);
  for (size_t v = 0; v < kVectors; ++v) {
    SumBlocks12<kRows, kBlocks>(x + k * kRows, units, num_inputs, k == 0, exponents, escapes, v,
                                totals);
  }
}

template <size_t kRows>
void SumPanel12(const float* HWY_RESTRICT x, const PanelView& panel, size_t num_inputs,
                float* HWY_RESTRICT totals) {
  constexpr size_t kFit = kSumRegisters12 / kRows;
  constexpr size_t kBlocks = kFit >= 4 ? 4 : kFit >= 2 ? 2 : 1;
  const Exponents exponents(*panel.table);
  size_t k = 0;
  for (; k + kBlocks * kSumBlockInputs <= num_inputs; k += kBlocks * kSumBlockInputs) {
    SumPanelBlocks12<kRows, kBlocks>(x, panel, k, kSumBlockInputs, exponents, totals);
  }
  for (; k < num_inputs; k += kSumBlockInputs) {
    SumPanelBlocks12<kRows, 1>(x, panel, k, std::min(kSumBlockInputs, num_inputs - k), exponents,
                               totals);
  }
}

void WidenBf16(const PanelView& panel, size_t first, size_t count, float* HWY_RESTRICT out) {
  const std::byte* HWY_RESTRICT lines = panel.lines + first * kPanelRows * 2;
  for (size_t i = 0; i < count; ++i) {
    Lanes line[kVectors];
    WidenShuffled(lines + i * kPanelRows * 2, line);
    Unshuffle(line);
    for (size_t v = 0; v < kVectors; ++v) StoreLanes(line[v], out + i * kPanelRows + v * kLanes);
  }
}

// Stores one vector of each of eight decoded lines, or of the `count` of them that there are.
HWY_INLINE void WidenUnit(const std::byte* HWY_RESTRICT unit, const Exponents& exponents,
                          size_t count, float* HWY_RESTRICT out) {
  Lanes lines[2][4];
  Decode12<0>(unit, unit + 128, exponents, lines[0]);
  Decode12<1>(unit + 64, unit + 128, exponents, lines[1]);
#pragma GCC unroll 16
  for (size_t i = 0; i < kUnitLines; ++i) {
    if (i < count) StoreLanes(lines[i / 4][i % 4], out + i * kPanelRows);
  }
}

void Widen12(const PanelView& panel, size_t first, size_t count, float* HWY_RESTRICT out) {
  const Exponents exponents(*panel.table);
  const std::byte* HWY_RESTRICT unit = panel.lines + first / kUnitLines * kUnitBytes;
  size_t i = 0;
  for (; i + kUnitLines <= count; i += kUnitLines, unit += kUnitBytes) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      WidenUnit(unit + v * kLanes * 4, exponents, kUnitLines, out + i * kPanelRows + v * kLanes);
    }
  }
  for (size_t v = 0; v < kVectors && i < count; ++v) {
    WidenUnit(unit + v * kLanes * 4, exponents, count - i, out + i * kPanelRows + v * kLanes);
  }
}

void Finish(const float* HWY_RESTRICT totals, const float* HWY_RESTRICT bias, size_t count,
            bool add, float* HWY_RESTRICT y) {
  size_t n = 0;
  for (; n + kLanes <= count; n += kLanes) {
    Lanes value = LoadLanes(totals + n);
    if (bias != nullptr) value = Sum(value, LoadUnaligned(bias + n));
    if (add) value = Sum(LoadUnaligned(y + n), value);
    StoreUnaligned(value, y + n);
  }
  for (; n < count; ++n) {
    const float value = bias == nullptr ? totals[n] : totals[n] + bias[n];
    y[n] = add ? y[n] + value : value;
  }
}

template <size_t... kIndex>
constexpr void FillBlockTable(LinearKernels& kernels, std::index_sequence<kIndex...>) {
  ((kernels.sum_block[kIndex + 1] = &SumBlock<kIndex + 1>), ...);
}

template <size_t... kIndex>
constexpr void FillPanelTables(LinearKernels& kernels, std::index_sequence<kIndex...>) {
  auto& tables = kernels.sum_panel;
  ((tables[size_t(WeightFormat::kBf16)][kIndex + 1] = &SumPanel<ReadBf16, kIndex + 1>), ...);
  ((tables[size_t(WeightFormat::kFloat32)][kIndex + 1] = &SumPanel<ReadFloat32, kIndex + 1>), ...);
  ((tables[size_t(WeightFormat::kPacked12)][kIndex + 1] = &SumPanel12<kIndex + 1>), ...);
}

constexpr LinearKernels MakeKernels() {
  LinearKernels kernels;
  kernels.tile_rows = kTileRows;
  kernels.tile_panels = kTilePanels;
  kernels.task_rows = kTaskRows;
  kernels.stream_tile_rows = kStreamTileRows;
  for (size_t& rows : kernels.stream_rows) rows = kStreamRows;
  kernels.stream_rows[size_t(WeightFormat::kPacked12)] = kStreamRows12;
  FillBlockTable(kernels, std::make_index_sequence<kTileRows>());
  FillPanelTables(kernels, std::make_index_sequence<kStreamTileRows>());
  kernels.widen[size_t(WeightFormat::kBf16)] = &WidenBf16;
  kernels.widen[size_t(WeightFormat::kPacked12)] = &Widen12;
  kernels.finish = &Finish;
  return kernels;
}

const LinearKernels& GetLinearKernels() {
  static constexpr LinearKernels kKernels = MakeKernels();
  return kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace ocelli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {

HWY_EXPORT(GetLinearKernels);

const LinearKernels& ActiveLinearKernels() noexcept { return OCELLI_DISPATCH(GetLinearKernels)(); }

}  // namespace ocelli
#endif
