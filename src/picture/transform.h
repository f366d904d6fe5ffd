#ifndef OCELLI_PICTURE_TRANSFORM_H_
#define OCELLI_PICTURE_TRANSFORM_H_

#include <array>

namespace ocelli {

// A place in a picture. (0, 0) is the outer corner of the first pixel, (width, height) that of the
// last. **Units**: pixels.
struct PointPx {
  double x = 0;
  double y = 0;
};

// A projective map of the plane: column vectors (x, y, 1) are multiplied from the left.
struct Transform {
  std::array<double, 9> m = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row by row

  bool operator==(const Transform&) const = default;
};

// Returns where `transform` takes `point`.
PointPx MapPoint(const Transform& transform, PointPx point);

// Returns the map that applies `first` and then `second`.
Transform Compose(const Transform& second, const Transform& first);

Transform Translation(double x, double y);
Transform Scaling(double x, double y);

// Turns about (0, 0); a positive angle turns the x axis towards the y axis, clockwise on a screen.
Transform Rotation(double degrees);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_TRANSFORM_H_
