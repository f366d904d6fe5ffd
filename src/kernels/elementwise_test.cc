#include "kernels/elementwise.h"

#include <cmath>

#include "gtest/gtest.h"
#include "kernels/reference/elementwise_reference.h"

namespace ocelli {
namespace {

TEST(Elementwise, GeluAgreesWithTheTwin) {
  ThreadPool pool(2);
  Mat<float> x(3, 7);
  Mat<float> y(3, 7);
  for (size_t i = 0; i < 21; ++i) x.data()[i] = y.data()[i] = static_cast<float>(i) - 10.0f;
  Gelu(y.view(), GeluKind::kErf, pool);
  for (size_t i = 0; i < 21; ++i) {
    const double expected = reference::GeluErf(double{x.data()[i]});
    EXPECT_NEAR(y.data()[i], expected, 1e-6 * std::abs(expected));
  }
}

}  // namespace
}  // namespace ocelli
