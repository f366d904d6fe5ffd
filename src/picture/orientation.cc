#include "picture/orientation.h"

#include <cstddef>
#include <cstring>

namespace ocelli {
namespace {

// Where stored pixels go: byte offset of pixel (0, 0) in the upright picture, and what one step
// right and one step down in the stored one add to it.
struct Walk {
  ptrdiff_t origin;
  ptrdiff_t step_x;
  ptrdiff_t step_y;
};

Walk WalkFor(const RgbImage& upright, int orientation) {
  const ptrdiff_t pixel = 3;
  const auto row = static_cast<ptrdiff_t>(upright.row_bytes());
  const ptrdiff_t right = (upright.width_px - 1) * pixel;
  const ptrdiff_t bottom = (upright.height_px - 1) * row;
  switch (orientation) {
    case 2:
      return {right, -pixel, row};
    case 3:
      return {right + bottom, -pixel, -row};
    case 4:
      return {bottom, pixel, -row};
    case 5:
      return {0, row, pixel};
    case 6:
      return {right, row, -pixel};
    case 7:
      return {right + bottom, -row, -pixel};
    case 8:
      return {bottom, -row, pixel};
    default:
      return {0, pixel, row};
  }
}

// Copies count pixels, from_step and to_step bytes apart.
void CopyLine(const uint8_t* from, ptrdiff_t from_step, uint8_t* to, ptrdiff_t to_step, int count) {
  for (int i = 0; i < count; ++i, from += from_step, to += to_step) std::memcpy(to, from, 3);
}

}  // namespace

void PlaceUpright(const uint8_t* rows, SizePx stored_size, int top, int num_rows, int orientation,
                  RgbImage& upright) {
  const ptrdiff_t row_bytes = ptrdiff_t{3} * stored_size.width_px;
  if (orientation < 2 || orientation > 8) {
    std::memcpy(upright.Row(top), rows, static_cast<size_t>(num_rows * row_bytes));
    return;
  }
  const Walk walk = WalkFor(upright, orientation);
  uint8_t* first = upright.pixels.data() + walk.origin + top * walk.step_y;
  // Either way the inner loop follows a row of the upright picture: it is the larger one in memory.
  if (OrientationSwapsSides(orientation)) {
    for (int x = 0; x < stored_size.width_px; ++x) {
      CopyLine(rows + 3 * x, row_bytes, first + x * walk.step_x, walk.step_y, num_rows);
    }
  } else {
    for (int y = 0; y < num_rows; ++y) {
      CopyLine(rows + y * row_bytes, 3, first + y * walk.step_y, walk.step_x, stored_size.width_px);
    }
  }
}

}  // namespace ocelli
