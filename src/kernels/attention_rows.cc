#include "kernels/attention_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention_rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/attention_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ocelli::HWY_NAMESPACE {

// The query rows of a task, in tiles: row i is head i % group of token i / group. Keys and values
// are kept as `Number`s.
template <typename Number>
class RowBlock {
 public:
  RowBlock(const AttentionRows& rows, float* scratch)
      : rows_(rows),
        head_dim_(rows.head_dim),
        padded_dim_(RoundUp(rows.head_dim, kKvPanelLanes)),
        group_(rows.q.cols() / rows.head_dim),
        count_(rows.q.rows() * group_),
        exponent_scale_(
            static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(head_dim_)))),
        tiles_(DivideUp(count_, kTileRows)),
        scores_(scratch),
        states_(scores_ + kTileRows * kSoftmaxStepTokens),
        queries_(states_ + tiles_ * kTileStateFloats),
        sums_(queries_ + tiles_ * kTileRows * head_dim_) {}

  void Attend() {
    for (size_t tile = 0; tile < tiles_; ++tile) Begin(tile);
    for (size_t token = 0; token < Visible(count_ - 1); token += kSoftmaxStepTokens) {
      for (size_t tile = 0; tile < tiles_; ++tile) {
        if (Visible(LastRow(tile)) > token) Step(tile, token);
      }
    }
    for (size_t row = 0; row < count_; ++row) Finish(row);
  }

 private:
  size_t Visible(size_t row) const {
    return rows_.first_visible + row / group_ * rows_.more_visible;
  }
  const float* Query(size_t row) const {
    return rows_.q.Row(row / group_) + row % group_ * head_dim_;
  }
  size_t LastRow(size_t tile) const { return std::min(count_, (tile + 1) * kTileRows) - 1; }
  TileState State(size_t tile) const { return TileState(states_ + tile * kTileStateFloats); }
  float* Sums(size_t tile) const { return sums_ + tile * kTileRows * padded_dim_; }
  float* Queries(size_t tile) const { return queries_ + tile * kTileRows * head_dim_; }

  // Packs the tile's queries as [head_dim][height], rows past the last as zeros.
  void Begin(size_t tile) {
    State(tile).Reset();
    std::fill_n(Sums(tile), kTileRows * padded_dim_, 0.0f);
    const size_t first = tile * kTileRows;
    const size_t height = TileHeight(LastRow(tile) - first + 1);
    std::fill_n(Queries(tile), height * head_dim_, 0.0f);
    for (size_t row = first; row <= LastRow(tile); ++row) {
      const float* q = Query(row);
      PrefetchRow(Query(std::min(row + kRowsAhead, count_ - 1)), head_dim_);
      float* packed = Queries(tile) + (row - first);
      for (size_t d = 0; d < head_dim_; ++d) packed[d * height] = q[d];
    }
  }

  void Step(size_t tile, size_t first_token) {
    const size_t first_row = tile * kTileRows;
    const size_t last_row = LastRow(tile);
    TileStep<Number> step = {
        .head_dim = head_dim_,
        .tokens = std::min(kSoftmaxStepTokens, Visible(last_row) - first_token),
        .exponent_scale = exponent_scale_,
        .queries = Queries(tile)};
    const size_t last_block = (Visible(last_row) - 1) / kKvBlockTokens;
    for (size_t b = 0; b <= kStepBlocks; ++b) {
      step.blocks[b] =
          rows_.kv.Block<Number>(std::min(first_token / kKvBlockTokens + b, last_block));
    }
    for (size_t r = 0; r < kTileRows; ++r) {
      const size_t visible = Visible(std::min(first_row + r, last_row));
      step.visible[r] = std::clamp(visible, first_token, first_token + step.tokens) - first_token;
    }
    WithTileHeight(last_row - first_row + 1, [&]<size_t kRows>() HWY_ATTR {
      AttendTile<kRows>(step, State(tile), scores_, Sums(tile), padded_dim_);
    });
  }

  void Finish(size_t row) {
    const size_t tile = row / kTileRows;
    const FloatTag d;
    const FloatVec sum = hn::Set(d, State(tile).sum[row % kTileRows]);
    const float* from = Sums(tile) + row % kTileRows * padded_dim_;
    float* out = rows_.out.Row(row / group_) + row % group_ * head_dim_;
    // Adding zero turns -0 into 0: the sign of a zero sum may depend on the tile's other rows.
    ForVectors(head_dim_, [=](size_t i, size_t count) HWY_ATTR {
      const FloatVec mean = hn::Div(LoadSome(from + i, count), sum);
      StoreSome(hn::Add(mean, hn::Zero(FloatTag())), out + i, count);
    });
  }

  const AttentionRows& rows_;
  size_t head_dim_;
  size_t padded_dim_;
  size_t group_;
  size_t count_;
  float exponent_scale_;  // scores count in powers of two
  size_t tiles_;
  float* scores_;   // [kTileRows, kSoftmaxStepTokens], then the weights
  float* states_;   // [tiles, kTileStateFloats]
  float* queries_;  // [tiles][head_dim][height]
  float* sums_;     // [tiles * kTileRows, padded_dim], weighted sums of values so far
};

void AttendRowBlock(const AttentionRows& rows, float* scratch) {
  if (rows.kv.type == KvType::kBf16) return RowBlock<Bf16>(rows, scratch).Attend();
  RowBlock<float>(rows, scratch).Attend();
}

}  // namespace ocelli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {

HWY_EXPORT(AttendRowBlock);

size_t AttentionBlockTokens(const AttentionShape& shape) {
  return std::max<size_t>(1, kAttentionBlockRows / shape.group());
}

size_t AttentionRowsScratchFloats(const AttentionShape& shape) {
  // Enough for every target: tiles of 6 rows have the most states, tiles of 12 the most padding.
  constexpr size_t kFewestTileRows = 6;
  constexpr size_t kMostTileRows = 12;
  constexpr size_t kStateFloats = 2 * 16;
  const size_t rows = AttentionBlockTokens(shape) * shape.group() + kMostTileRows;
  return kMostTileRows * kSoftmaxStepTokens + (rows / kFewestTileRows + 1) * kStateFloats +
         rows * (shape.head_dim + shape.padded_head_dim());
}

void AttendRows(const AttentionRows& rows, float* scratch) noexcept {
  OCELLI_DISPATCH(AttendRowBlock)(rows, scratch);
}

}  // namespace ocelli
#endif  // HWY_ONCE
