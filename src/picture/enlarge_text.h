#ifndef OCELLI_PICTURE_ENLARGE_TEXT_H_
#define OCELLI_PICTURE_ENLARGE_TEXT_H_

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Enlarges a picture up to three times where its letters are a few pixels high, within the area
// that a picture is used at by default. Needed for small text in small pictures. Returns whether it
// changed `image`.
// **Errors**: kInternal; `std::bad_alloc` without memory.
Result<bool> EnlargeText(RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_ENLARGE_TEXT_H_
