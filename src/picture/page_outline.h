#ifndef OCELLI_PICTURE_PAGE_OUTLINE_H_
#define OCELLI_PICTURE_PAGE_OUTLINE_H_

#include <optional>

#include "base/error.h"
#include "picture/rgb_image.h"
#include "picture/straighten.h"

namespace ocelli {

// Finds a bright page on a darker ground that was photographed at an angle, and returns the view
// that shows it upright. Nothing when there is doubt: all four edges must be seen, brighter inside
// than outside along nearly their whole length, with nothing written outside them; and nothing for
// a page that is upright already. **Errors**: kInternal; `std::bad_alloc` without memory.
Result<std::optional<View>> FindPage(const RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PAGE_OUTLINE_H_
