#ifndef OCELLI_PICTURE_DENOISE_H_
#define OCELLI_PICTURE_DENOISE_H_

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Smooths grain and keeps edges. Needed where the grain would be seen. Returns whether it changed
// `image`.
// **Errors**: kInternal; `std::bad_alloc` without memory.
Result<bool> Denoise(RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_DENOISE_H_
