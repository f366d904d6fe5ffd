#ifndef OCELLI_PICTURE_ORIENTATION_H_
#define OCELLI_PICTURE_ORIENTATION_H_

#include <cstdint>

#include "picture/rgb_image.h"

namespace ocelli {

// Whether EXIF orientation `orientation` exchanges width and height.
constexpr bool OrientationSwapsSides(int orientation) {
  return orientation >= 5 && orientation <= 8;
}

// Returns `size` as it is when upright.
constexpr SizePx UprightSize(SizePx size, int orientation) {
  return OrientationSwapsSides(orientation) ? SizePx{size.height_px, size.width_px} : size;
}

// Writes rows [top, top + num_rows) of a stored picture where they belong in the upright one,
// turned or mirrored as EXIF orientation 1..8 says (anything else changes nothing). Taking a
// picture strip by strip this way needs no second copy of it.
// **Shapes**: rows [num_rows, stored_size.width_px, 3]; `upright` has UprightSize(stored_size).
// **Ref**: PIL.ImageOps.exif_transpose.
void PlaceUpright(const uint8_t* rows, SizePx stored_size, int top, int num_rows, int orientation,
                  RgbImage& upright);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_ORIENTATION_H_
