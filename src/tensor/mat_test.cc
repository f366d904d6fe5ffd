#include "tensor/mat.h"

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(Mat, ViewsShareItsElements) {
  Mat<float> mat(3, 4);
  mat.view()(1, 2) = 5.0f;
  EXPECT_EQ(mat.data()[6], 5.0f);
  MatView<const float> part = mat.view().Rows(1, 2).Cols(2, 2);
  EXPECT_EQ(part.rows(), 2u);
  EXPECT_EQ(part.stride(), 4u);
  EXPECT_EQ(part(0, 0), 5.0f);
  EXPECT_EQ(part.Row(1), mat.data() + 10);
  EXPECT_EQ(mat.Top(2).rows(), 2u);
}

TEST(Mat, EmptyViewsSaySo) {
  EXPECT_TRUE(MatView<float>().empty());
  EXPECT_TRUE(Mat<float>(0, 4).view().empty());
}

}  // namespace
}  // namespace ocelli
