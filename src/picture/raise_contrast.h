#ifndef OCELLI_PICTURE_RAISE_CONTRAST_H_
#define OCELLI_PICTURE_RAISE_CONTRAST_H_

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Stretches the range between ink and ground where it is narrow, as far as the grain allows it.
// Needed where all ink is faint. Returns whether it changed `image`.
// **Errors**: kInternal; `std::bad_alloc` without memory.
Result<bool> RaiseContrast(RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_RAISE_CONTRAST_H_
