#include "picture/orientation.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace ocelli {
namespace {

// Where the pixels of the upright picture lie in the stored one: byte offset of the first, and what
// to add for one step right and one step down.
struct Walk {
  ptrdiff_t origin;
  ptrdiff_t step_x;
  ptrdiff_t step_y;
};

Walk WalkFor(const RgbImage& stored, int orientation) {
  const ptrdiff_t pixel = 3;
  const auto row = static_cast<ptrdiff_t>(stored.row_bytes());
  const ptrdiff_t right = (stored.width_px - 1) * pixel;
  const ptrdiff_t bottom = (stored.height_px - 1) * row;
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
      return {bottom, -row, pixel};
    case 7:
      return {right + bottom, -row, -pixel};
    case 8:
      return {right, row, -pixel};
    default:
      return {0, pixel, row};
  }
}

// A square of both pictures stays in the first-level cache: turning reads down columns.
constexpr int kTilePx = 64;

void CopyTile(const RgbImage& stored, const Walk& walk, int left, int top, RgbImage& upright) {
  const int right = std::min(left + kTilePx, upright.width_px);
  const int bottom = std::min(top + kTilePx, upright.height_px);
  for (int y = top; y < bottom; ++y) {
    const uint8_t* from = stored.pixels.data() + walk.origin + y * walk.step_y + left * walk.step_x;
    uint8_t* to = upright.Row(y) + 3 * left;
    for (int x = left; x < right; ++x, from += walk.step_x, to += 3) std::memcpy(to, from, 3);
  }
}

}  // namespace

RgbImage TurnUpright(RgbImage image, int orientation) {
  if (orientation < 2 || orientation > 8) return image;
  const SizePx size = UprightSize(image.size(), orientation);
  RgbImage upright{size.width_px, size.height_px, std::vector<uint8_t>(image.pixels.size())};
  const Walk walk = WalkFor(image, orientation);
  for (int top = 0; top < size.height_px; top += kTilePx) {
    for (int left = 0; left < size.width_px; left += kTilePx) {
      CopyTile(image, walk, left, top, upright);
    }
  }
  return upright;
}

}  // namespace ocelli
