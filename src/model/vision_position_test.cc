#include "model/vision_position.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/mrope.h"

namespace ocelli {
namespace {

TEST(PatchGrid, ListsPatchesTokenByToken) {
  const PatchGrid grid{4, 6, 2};
  EXPECT_EQ(grid.num_patches(), 24u);
  EXPECT_EQ(grid.num_tokens(), 6u);
  const size_t expected[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                {0, 4}, {0, 5}, {1, 4}, {1, 5}, {2, 0}, {2, 1}, {3, 0}, {3, 1}};
  for (size_t p = 0; p < std::size(expected); ++p) {
    EXPECT_EQ(grid.CoordOf(p).row, expected[p][0]) << p;
    EXPECT_EQ(grid.CoordOf(p).col, expected[p][1]) << p;
  }
}

// Embeddings that name their place: channel 0 is the row, channel 1 the column.
Mat<float> PlaceEmbeddings(size_t side) {
  Mat<float> embeddings(side * side, 2);
  for (size_t i = 0; i < side * side; ++i) {
    embeddings.view()(i, 0) = static_cast<float>(i / side);
    embeddings.view()(i, 1) = static_cast<float>(i % side);
  }
  return embeddings;
}

TEST(AddPositionEmbeddings, StretchesTheGridWithAlignedCorners) {
  ThreadPool pool(2);
  const Mat<float> embeddings = PlaceEmbeddings(7);
  for (const PatchGrid grid : {PatchGrid{2, 2, 2}, PatchGrid{4, 10, 2}, PatchGrid{14, 2, 2},
                               PatchGrid{6, 6, 2}, PatchGrid{7, 1, 1}}) {
    Mat<float> hidden(grid.num_patches(), 2);
    AddPositionEmbeddings(embeddings.view(), grid, hidden.view(), pool);
    for (size_t p = 0; p < grid.num_patches(); ++p) {
      const auto place = [](size_t i, size_t count) {
        return count == 1 ? 0.0 : 6.0 * static_cast<double>(i) / (static_cast<double>(count) - 1.0);
      };
      const PatchGrid::Coord coord = grid.CoordOf(p);
      EXPECT_NEAR(hidden.view()(p, 0), place(coord.row, grid.grid_h), 2e-6);
      EXPECT_NEAR(hidden.view()(p, 1), place(coord.col, grid.grid_w), 2e-6);
    }
  }
}

TEST(AddPositionEmbeddings, GridOfTheSameSizeIsTakenAsItIsAndAdded) {
  ThreadPool pool(1);
  const Mat<float> embeddings = PlaceEmbeddings(8);
  const PatchGrid grid{8, 8, 2};
  Mat<float> hidden(64, 2);
  for (size_t i = 0; i < 128; ++i) hidden.data()[i] = 100.0f;
  AddPositionEmbeddings(embeddings.view(), grid, hidden.view(), pool);
  for (size_t p = 0; p < 64; ++p) {
    EXPECT_EQ(hidden.view()(p, 0), 100.0f + static_cast<float>(grid.CoordOf(p).row));
    EXPECT_EQ(hidden.view()(p, 1), 100.0f + static_cast<float>(grid.CoordOf(p).col));
  }
}

TEST(VisionRotaryEmbedding, FirstHalfTurnsByRowSecondByColumn) {
  VisionConfig config;
  config.hidden_size = 48;
  config.num_heads = 2;
  const VisionRotaryEmbedding rotary(config, 6);
  const PatchGrid grid{4, 6, 2};
  Mat<float> cos(24, 12);
  Mat<float> sin(24, 12);
  rotary.CosSin(grid, cos.view(), sin.view());
  for (size_t p = 0; p < 24; ++p) {
    const PatchGrid::Coord coord = grid.CoordOf(p);
    for (size_t i = 0; i < 6; ++i) {
      const double inv_freq = std::pow(10000.0, -static_cast<double>(i) / 6.0);
      EXPECT_NEAR(sin.view()(p, i), std::sin(inv_freq * static_cast<double>(coord.row)), 1e-6);
      EXPECT_NEAR(cos.view()(p, 6 + i), std::cos(inv_freq * static_cast<double>(coord.col)), 1e-6);
    }
  }
}

}  // namespace
}  // namespace ocelli
