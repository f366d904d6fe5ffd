// A tile of query rows against one step of keys and values: the two small panel gemms of attention
// and the softmax between them.

#if defined(OCELLI_KERNELS_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OCELLI_KERNELS_ATTENTION_TILE_INL_H_
#undef OCELLI_KERNELS_ATTENTION_TILE_INL_H_
#else
#define OCELLI_KERNELS_ATTENTION_TILE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <limits>

#include "hwy/highway.h"
#include "kernels/attention_rows.h"
#include "kernels/exp2-inl.h"
#include "kernels/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli::HWY_NAMESPACE {

// Rows of a full tile: with two vectors a row, as many sums as leave registers for their factors.
inline constexpr size_t kTileRows = kVecLanes == 16 ? 12 : 6;
inline constexpr size_t kTileVectors = 2;
// Tiles of at most this many rows are bound by memory.
inline constexpr size_t kStreamingRows = 4;
inline constexpr size_t kStepBlocks = kSoftmaxStepTokens / kKvBlockTokens;

// The online softmax of a tile's rows: their largest score and the sum of their weights so far.
inline constexpr size_t kTileStateFloats = 2 * kVirtualLanes;
struct TileState {
  explicit TileState(float* memory) : max(memory), sum(memory + kVirtualLanes) {}
  void Reset() const {
    std::fill_n(max, kVirtualLanes, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, kVirtualLanes, 0.0f);
  }
  float* max;  // [16], one for each row
  float* sum;  // [16]
};

// What is read of `Number`s: keys and values as they are kept.
template <typename Number>
struct TileStep {
  size_t head_dim = 0;
  size_t tokens = 0;                           // that any row of the tile sees in this step
  float exponent_scale = 0.0f;                 // weight = 2^((score - max) * exponent_scale)
  const float* queries = nullptr;              // [head_dim][rows]
  const Number* blocks[kStepBlocks + 1] = {};  // of the step; the next one is fetched early
  size_t visible[kTileRows] = {};  // tokens of the step that each row sees, not decreasing
};

// Calls f.operator()<kRows>() with the lowest compiled tile height that holds `rows`.
template <class F>
HWY_INLINE void WithTileHeight(size_t rows, F f) {
  if (rows <= 1) return f.template operator()<1>();
  if (rows <= 2) return f.template operator()<2>();
  if (rows <= 4) return f.template operator()<4>();
  if constexpr (kTileRows > 8) {
    if (rows <= 8) return f.template operator()<8>();
  }
  f.template operator()<kTileRows>();
}

HWY_INLINE size_t TileHeight(size_t rows) {
  size_t height = 0;
  WithTileHeight(rows, [&]<size_t kRows>() { height = kRows; });
  return height;
}

// Loads a vector of keys or values; widening is exact.
HWY_INLINE FloatVec LoadNumbers(const float* from) { return hn::LoadU(FloatTag(), from); }
HWY_INLINE FloatVec LoadNumbers(const Bf16* from) {
  const hn::RebindToSigned<FloatTag> d32;
  const hn::Rebind<uint16_t, FloatTag> d16;
  const auto bits = hn::LoadU(d16, &from->bits);
  return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
}

// Adds k terms of a panel product: sums[r][v] += a(r, i) * b[v][i], i < k, in order; a(r, i) is
// a[r * kRowStride + i * kTermStride] and b advances by a panel line.
// Calls each(i) beside each term.
template <size_t kRows, size_t kVectors, size_t kRowStride, size_t kTermStride, typename Number,
          class Each>
HWY_INLINE void MultiplyPanel(const float* HWY_RESTRICT a, const Number* const (&b)[kVectors],
                              size_t k, FloatVec (&sums)[kRows][kVectors], Each each) {
  const FloatTag d;
  for (size_t i = 0; i < k; ++i) {
    each(i);
    FloatVec line[kVectors];
    for (size_t v = 0; v < kVectors; ++v) line[v] = LoadNumbers(b[v] + i * kKvPanelLanes);
    for (size_t r = 0; r < kRows; ++r) {
      const FloatVec factor = hn::Set(d, a[r * kRowStride + i * kTermStride]);
      for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(factor, line[v], sums[r][v]);
    }
  }
}

template <size_t kRows, size_t kVectors>
HWY_INLINE void SetZero(FloatVec (&sums)[kRows][kVectors]) {
  for (auto& row : sums) {
    for (FloatVec& sum : row) sum = hn::Zero(FloatTag());
  }
}

// scores [kRows, kSoftmaxStepTokens] = q k for every token of the step. Tokens past the last of the
// step, up to the vector's end, get what lies in memory.
//
// Few rows, as when decoding, use each number once, so memory sets the pace: meanwhile the values
// of the block and the keys of the next one are fetched, line for line.
template <size_t kRows, typename Number>
HWY_INLINE void ScoreTile(const TileStep<Number>& step, float* HWY_RESTRICT scores) {
  constexpr size_t kPanels = std::max<size_t>(1, kTileVectors * kVecLanes / kKvPanelLanes);
  const FloatTag d;
  for (size_t t = 0; t < step.tokens; t += kTileVectors * kVecLanes) {
    const Number* lines[kTileVectors];
    for (size_t v = 0; v < kTileVectors; ++v) {
      const size_t slot = (t + v * kVecLanes) % kKvBlockTokens;
      lines[v] = step.blocks[t / kKvBlockTokens] +
                 slot / kKvPanelLanes * step.head_dim * kKvPanelLanes + slot % kKvPanelLanes;
    }
    FloatVec sums[kRows][kTileVectors];
    SetZero(sums);
    const Number* now = step.blocks[t / kKvBlockTokens] + step.head_dim * kKvBlockTokens;
    const Number* next = step.blocks[t / kKvBlockTokens + 1];
    const size_t panel = t % kKvBlockTokens / kKvPanelLanes * step.head_dim;
    const auto prefetch = [&](size_t i) HWY_ATTR {
      if constexpr (kRows > kStreamingRows) return;
      for (size_t p = 0; p < kPanels; ++p) {
        const size_t line = (panel + p * step.head_dim + i) * kKvPanelLanes;
        __builtin_prefetch(now + line);
        __builtin_prefetch(next + line);
      }
    };
    MultiplyPanel<kRows, kTileVectors, 1, kRows>(step.queries, lines, step.head_dim, sums,
                                                 prefetch);
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t v = 0; v < kTileVectors; ++v) {
        hn::Store(sums[r][v], d, scores + r * kSoftmaxStepTokens + t + v * kVecLanes);
      }
    }
  }
}

// Turns the scores of one row into weights 2^((score - max) * scale), raising `max` to the largest
// score, and returns their sum, in 16 virtual lanes. **Shapes**: scores [count], count % 16 = 0.
HWY_INLINE float WeighRow(float* HWY_RESTRICT scores, size_t count, float scale, float& max) {
  constexpr size_t kParts = kVirtualLanes / kVecLanes;
  const FloatTag d;
  FloatVec largest = hn::Set(d, max);
  for (size_t t = 0; t < count; t += kVecLanes) {
    largest = hn::Max(largest, hn::Load(d, scores + t));
  }
  max = MaxLane(d, largest);
  const FloatVec center = hn::Set(d, max);
  FloatVec sums[kParts];
  for (FloatVec& sum : sums) sum = hn::Zero(d);
  for (size_t t = 0; t < count; t += kVirtualLanes) {
    for (size_t part = 0; part < kParts; ++part) {
      float* at = scores + t + part * kVecLanes;
      const FloatVec weight = Exp2OfNegative(hn::Sub(hn::Load(d, at), center), scale);
      hn::Store(weight, d, at);
      sums[part] = hn::Add(sums[part], weight);
    }
  }
  return SumVectors(sums);
}

// Turns scores into weights, brings the state up to date, and sets `decay` to what each row's
// earlier sums must be multiplied by.
template <size_t kRows, typename Number>
HWY_INLINE void WeighTile(const TileStep<Number>& step, TileState state, float* HWY_RESTRICT scores,
                          float* HWY_RESTRICT decay) {
  const FloatTag d;
  const size_t count = (step.tokens + kVirtualLanes - 1) / kVirtualLanes * kVirtualLanes;
  HWY_ALIGN float sums[kVirtualLanes] = {};
  std::fill_n(decay, kVirtualLanes, 0.0f);
  for (size_t r = 0; r < kRows; ++r) {
    float* row = scores + r * kSoftmaxStepTokens;
    for (size_t t = step.visible[r]; t < count; ++t)
      row[t] = -std::numeric_limits<float>::infinity();
    const float old_max = state.max[r];
    sums[r] = WeighRow(row, count, step.exponent_scale, state.max[r]);
    decay[r] = old_max - state.max[r];
  }
  for (size_t r = 0; r < kVirtualLanes; r += kVecLanes) {
    const FloatVec factor = Exp2OfNegative(hn::Load(d, decay + r), step.exponent_scale);
    hn::Store(factor, d, decay + r);
    const FloatVec sum = hn::MulAdd(hn::Load(d, state.sum + r), factor, hn::Load(d, sums + r));
    hn::Store(sum, d, state.sum + r);
  }
}

// totals = totals * decay + weights V for one group of channels; `channel` is its first.
template <size_t kRows, size_t kVectors, typename Number>
HWY_INLINE void AddValues(const TileStep<Number>& step, const float* HWY_RESTRICT weights,
                          const float* HWY_RESTRICT decay, size_t channel,
                          float* HWY_RESTRICT totals, size_t padded_dim) {
  const FloatTag d;
  FloatVec sums[kRows][kVectors];
  SetZero(sums);
  for (size_t t = 0; t < step.tokens; t += kKvBlockTokens) {
    const Number* lines[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t c = channel + v * kVecLanes;
      lines[v] = step.blocks[t / kKvBlockTokens] + kKvBlockTokens * step.head_dim +
                 c / kKvPanelLanes * kKvBlockTokens * kKvPanelLanes + c % kKvPanelLanes;
    }
    const size_t end = std::min(t + kKvBlockTokens, step.tokens);
    const size_t common = std::clamp(step.visible[0], t, end);  // seen by every row
    MultiplyPanel<kRows, kVectors, kSoftmaxStepTokens, 1>(weights + t, lines, common - t, sums,
                                                          [](size_t) HWY_ATTR {});
    // A value that a row does not see must not touch it, not even times zero: it may be infinite.
    for (size_t i = common; i < end; ++i) {
      for (size_t r = 0; r < kRows; ++r) {
        if (i >= step.visible[r]) continue;
        const FloatVec weight = hn::Set(d, weights[r * kSoftmaxStepTokens + i]);
        for (size_t v = 0; v < kVectors; ++v) {
          const FloatVec line = LoadNumbers(lines[v] + (i - t) * kKvPanelLanes);
          sums[r][v] = hn::MulAdd(weight, line, sums[r][v]);
        }
      }
    }
  }
  for (size_t r = 0; r < kRows; ++r) {
    const FloatVec factor = hn::Set(d, decay[r]);
    for (size_t v = 0; v < kVectors; ++v) {
      float* at = totals + r * padded_dim + channel + v * kVecLanes;
      hn::StoreU(hn::MulAdd(hn::LoadU(d, at), factor, sums[r][v]), d, at);
    }
  }
}

// Adds one step of keys and values to a tile. **Shapes**: scores [kTileRows, kSoftmaxStepTokens] is
// working memory, totals [kTileRows, padded_dim].
template <size_t kRows, typename Number>
void AttendTile(const TileStep<Number>& step, TileState state, float* HWY_RESTRICT scores,
                float* HWY_RESTRICT totals, size_t padded_dim) {
  HWY_ALIGN float decay[kVirtualLanes];
  ScoreTile<kRows>(step, scores);
  WeighTile<kRows>(step, state, scores, decay);
  constexpr size_t kWidth = kTileVectors * kVecLanes;
  size_t channel = 0;
  for (; channel + kWidth <= padded_dim; channel += kWidth) {
    AddValues<kRows, kTileVectors>(step, scores, decay, channel, totals, padded_dim);
  }
  if (channel < padded_dim) {
    AddValues<kRows, 1>(step, scores, decay, channel, totals, padded_dim);
  }
}

}  // namespace ocelli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // OCELLI_KERNELS_ATTENTION_TILE_INL_H_
