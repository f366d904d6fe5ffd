#ifndef OCELLI_PICTURE_ORIENTATION_H_
#define OCELLI_PICTURE_ORIENTATION_H_

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

// Turns or mirrors a picture so that it stands as its EXIF orientation says (1..8; 1 changes
// nothing). **Ref**: PIL.ImageOps.exif_transpose.
RgbImage TurnUpright(RgbImage image, int orientation);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_ORIENTATION_H_
