#include "model/mrope.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

std::vector<int32_t> Axis(const RopeIndex& index, size_t axis, size_t first, size_t count) {
  Mat<int32_t> positions(3, count);
  index.CopyTo(first, positions.view());
  const int32_t* row = positions.view().Row(axis);
  return {row, row + count};
}

TEST(RopeIndex, TextAdvancesAllAxesTogether) {
  const RopeIndex index(4, {});
  for (size_t axis = 0; axis < 3; ++axis) {
    EXPECT_THAT(Axis(index, axis, 0, 6), ElementsAre(0, 1, 2, 3, 4, 5));
  }
  EXPECT_EQ(index.rope_delta(), 0);
}

TEST(RopeIndex, PictureTokensCountRowsAndColumnsAndTextGoesOnAfterTheLongerSide) {
  const PictureSpan picture{2, 2, 3};
  const RopeIndex index(10, {&picture, 1});
  EXPECT_THAT(Axis(index, 0, 0, 10), ElementsAre(0, 1, 2, 2, 2, 2, 2, 2, 5, 6));
  EXPECT_THAT(Axis(index, 1, 0, 10), ElementsAre(0, 1, 2, 2, 2, 3, 3, 3, 5, 6));
  EXPECT_THAT(Axis(index, 2, 0, 10), ElementsAre(0, 1, 2, 3, 4, 2, 3, 4, 5, 6));
  EXPECT_EQ(index.rope_delta(), -3);
}

TEST(RopeIndex, PromptMayBeginAndEndWithAPictureAndPicturesMayTouch) {
  const PictureSpan pictures[] = {{0, 3, 1}, {3, 1, 2}};
  const RopeIndex index(5, pictures);
  EXPECT_THAT(Axis(index, 0, 0, 6), ElementsAre(0, 0, 0, 3, 3, 5));
  EXPECT_THAT(Axis(index, 1, 0, 6), ElementsAre(0, 1, 2, 3, 3, 5));
  EXPECT_THAT(Axis(index, 2, 0, 6), ElementsAre(0, 0, 0, 3, 4, 5));
  EXPECT_EQ(index.rope_delta(), 0);
}

TEST(RopeIndex, AnyCutGivesThePositionsOfTheWhole) {
  const PictureSpan pictures[] = {{1, 2, 4}, {12, 3, 2}};
  const RopeIndex index(20, pictures);
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::vector<int32_t> whole = Axis(index, axis, 0, 30);
    for (size_t first = 0; first < 30; ++first) {
      for (size_t count = 1; first + count <= 30; ++count) {
        EXPECT_THAT(Axis(index, axis, first, count), ElementsAreArray(whole.data() + first, count));
      }
    }
  }
}

TEST(RopeIndex, AnswerStandsAtTokenPlusDelta) {
  const PictureSpan picture{2, 4, 4};
  const RopeIndex index(20, {&picture, 1});
  EXPECT_THAT(Axis(index, 2, 25, 1), ElementsAre(25 + index.rope_delta()));
}

TextConfig RotaryConfig() {
  TextConfig config;
  config.head_dim = 16;
  config.rope_theta = 10000.0;
  config.mrope_section = {4, 2, 2};
  return config;
}

TEST(TextRotaryEmbedding, AxesTakeTurnsAndTheRestIsTime) {
  const TextRotaryEmbedding rotary(RotaryConfig());
  Mat<int32_t> positions(3, 1);
  Mat<float> cos(1, 8);
  Mat<float> sin(1, 8);
  const bool moved_by[3][8] = {{true, false, false, true, false, false, true, true},
                               {false, true, false, false, true, false, false, false},
                               {false, false, true, false, false, true, false, false}};
  for (size_t axis = 0; axis < 3; ++axis) {
    for (size_t other = 0; other < 3; ++other) positions.view()(other, 0) = other == axis;
    rotary.CosSin(positions.view(), cos.view(), sin.view());
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(sin.data()[i] != 0.0f, moved_by[axis][i]) << i;
  }
}

TEST(TextRotaryEmbedding, TurnsByPositionTimesInverseFrequency) {
  const TextRotaryEmbedding rotary(RotaryConfig());
  Mat<int32_t> positions(3, 2);
  for (size_t axis = 0; axis < 3; ++axis) positions.view()(axis, 1) = 1000;
  Mat<float> cos(2, 8);
  Mat<float> sin(2, 8);
  rotary.CosSin(positions.view(), cos.view(), sin.view());
  for (size_t i = 0; i < 8; ++i) {
    const double angle = 1000.0 * std::pow(10000.0, -static_cast<double>(i) / 8.0);
    EXPECT_EQ(cos.view()(0, i), 1.0f);
    EXPECT_EQ(sin.view()(0, i), 0.0f);
    EXPECT_NEAR(cos.view()(1, i), std::cos(angle), 1e-4);
    EXPECT_NEAR(sin.view()(1, i), std::sin(angle), 1e-4);
  }
}

}  // namespace
}  // namespace ocelli
