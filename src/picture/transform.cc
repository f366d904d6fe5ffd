#include "picture/transform.h"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace ocelli {

PointPx MapPoint(const Transform& transform, PointPx point) {
  const auto& m = transform.m;
  const double w = m[6] * point.x + m[7] * point.y + m[8];
  return PointPx{(m[0] * point.x + m[1] * point.y + m[2]) / w,
                 (m[3] * point.x + m[4] * point.y + m[5]) / w};
}

Transform Compose(const Transform& second, const Transform& first) {
  Transform result;
  for (size_t row = 0; row < 3; ++row) {
    for (size_t column = 0; column < 3; ++column) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k) sum += second.m[3 * row + k] * first.m[3 * k + column];
      result.m[3 * row + column] = sum;
    }
  }
  return result;
}

Transform Translation(double x, double y) { return Transform{{1, 0, x, 0, 1, y, 0, 0, 1}}; }

Transform Scaling(double x, double y) { return Transform{{x, 0, 0, 0, y, 0, 0, 0, 1}}; }

Transform Rotation(double degrees) {
  const double radians = degrees * std::numbers::pi / 180;
  const double c = std::cos(radians);
  const double s = std::sin(radians);
  return Transform{{c, -s, 0, s, c, 0, 0, 0, 1}};
}

}  // namespace ocelli
