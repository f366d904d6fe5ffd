#ifndef OCELLI_PICTURE_BINARIZE_H_
#define OCELLI_PICTURE_BINARIZE_H_

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Makes each pixel black or white by the light around it; white ink on black becomes black on
// white. Always done. Returns whether it changed `image`.
// **Errors**: kInternal; `std::bad_alloc` without memory.
Result<bool> Binarize(RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_BINARIZE_H_
