#ifndef OCELLI_PICTURE_EVEN_LIGHT_H_
#define OCELLI_PICTURE_EVEN_LIGHT_H_

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Takes shadows and uneven light off a page: each pixel is made brighter by as much as the paper
// around it is darker than the brightest paper; colours stay. Needed where the paper gets darker
// slowly, as no program paints it. Returns whether it changed `image`.
// **Errors**: kInternal; `std::bad_alloc` without memory.
Result<bool> EvenLight(RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_EVEN_LIGHT_H_
