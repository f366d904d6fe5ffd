#include "model/vision_position.h"

#include <algorithm>
#include <cmath>

#include "model/mrope.h"

namespace ocelli {
namespace {

constexpr double kRopeTheta = 10000.0;

// A point between two neighbours of a line of embeddings: `share` of `next`, the rest of `floor`.
struct Between {
  size_t floor = 0;
  size_t next = 0;
  float share = 0;
};

// Returns point `i` of `count` evenly spaced from the first embedding of `side` to the last. Counts
// from the nearer end, in float32, as torch.linspace does.
Between AlignedPoint(size_t i, size_t count, size_t side) noexcept {
  if (count == 1) return {0, std::min<size_t>(1, side - 1), 0.0f};
  const auto last = static_cast<float>(side - 1);
  const float step = last / static_cast<float>(count - 1);
  const float point = i < count / 2 ? step * static_cast<float>(i)
                                    : std::fma(-step, static_cast<float>(count - 1 - i), last);
  const auto floor = static_cast<size_t>(point);
  return {floor, std::min(floor + 1, side - 1), point - static_cast<float>(floor)};
}

}  // namespace

PatchGrid::Coord PatchGrid::CoordOf(size_t index) const {
  const size_t token = index / (merge_size * merge_size);
  const size_t inside = index % (merge_size * merge_size);
  const size_t token_cols = grid_w / merge_size;
  return {token / token_cols * merge_size + inside / merge_size,
          token % token_cols * merge_size + inside % merge_size};
}

void AddPositionEmbeddings(MatView<const float> pos_embed, const PatchGrid& grid,
                           MatView<float> hidden, ThreadPool& pool) noexcept {
  const auto side = static_cast<size_t>(std::lround(std::sqrt(pos_embed.rows())));
  pool.ForRanges(grid.num_patches(), 1, [&](size_t begin, size_t end, int) {
    for (size_t p = begin; p < end; ++p) {
      const PatchGrid::Coord coord = grid.CoordOf(p);
      const Between h = AlignedPoint(coord.row, grid.grid_h, side);
      const Between w = AlignedPoint(coord.col, grid.grid_w, side);
      const float* corners[] = {
          pos_embed.Row(h.floor * side + w.floor), pos_embed.Row(h.floor * side + w.next),
          pos_embed.Row(h.next * side + w.floor), pos_embed.Row(h.next * side + w.next)};
      const float shares[] = {(1 - h.share) * (1 - w.share), (1 - h.share) * w.share,
                              h.share * (1 - w.share), h.share * w.share};
      float* out = hidden.Row(p);
      for (size_t c = 0; c < hidden.cols(); ++c) {
        out[c] += corners[0][c] * shares[0] + corners[1][c] * shares[1] +
                  corners[2][c] * shares[2] + corners[3][c] * shares[3];
      }
    }
  });
}

VisionRotaryEmbedding::VisionRotaryEmbedding(const VisionConfig& config, size_t max_side)
    : cos_(max_side, config.head_dim() / 4), sin_(max_side, config.head_dim() / 4) {
  for (size_t i = 0; i < cos_.cols(); ++i) {
    const double inv_freq = InverseFrequency(kRopeTheta, i, config.head_dim() / 2);
    for (size_t side = 0; side < max_side; ++side) {
      cos_.view()(side, i) = static_cast<float>(std::cos(inv_freq * static_cast<double>(side)));
      sin_.view()(side, i) = static_cast<float>(std::sin(inv_freq * static_cast<double>(side)));
    }
  }
}

void VisionRotaryEmbedding::CosSin(const PatchGrid& grid, MatView<float> cos,
                                   MatView<float> sin) const noexcept {
  const size_t quarter = cos_.cols();
  const MatView<const float> cos_table = cos_.view();
  const MatView<const float> sin_table = sin_.view();
  for (size_t p = 0; p < grid.num_patches(); ++p) {
    const PatchGrid::Coord coord = grid.CoordOf(p);
    std::copy_n(cos_table.Row(coord.row), quarter, cos.Row(p));
    std::copy_n(cos_table.Row(coord.col), quarter, cos.Row(p) + quarter);
    std::copy_n(sin_table.Row(coord.row), quarter, sin.Row(p));
    std::copy_n(sin_table.Row(coord.col), quarter, sin.Row(p) + quarter);
  }
}

}  // namespace ocelli
