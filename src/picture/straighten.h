#ifndef OCELLI_PICTURE_STRAIGHTEN_H_
#define OCELLI_PICTURE_STRAIGHTEN_H_

#include "base/error.h"
#include "picture/rgb_image.h"
#include "picture/transform.h"

namespace ocelli {

// A picture that shows another one through a map.
struct View {
  SizePx size;
  Transform to_source;  // a place in this view -> in the source
};

// Draws `view` of `source`, smoothly. What lies outside the source takes the colour that is
// commonest along its edges. **Errors**: kInternal; `std::bad_alloc` without memory.
Result<RgbImage> DrawView(const RgbImage& source, const View& view);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_STRAIGHTEN_H_
