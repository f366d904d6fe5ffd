#ifndef OCELLI_PICTURE_DESKEW_H_
#define OCELLI_PICTURE_DESKEW_H_

#include "base/error.h"
#include "picture/rgb_image.h"
#include "picture/straighten.h"

namespace ocelli {

// Returns by how many degrees clockwise the lines of text in `image` are off level, at most 15; 0
// when they are level or when there are no lines to tell it from. The angle under which the ink,
// summed along lines, changes most from row to row is that of the text.
// **Errors**: kInternal; `std::bad_alloc` without memory.
Result<double> FindSkew(const RgbImage& image);

// Returns the view of a picture of `size` in which what is `degrees` off is level. Nothing is cut.
View LevelView(SizePx size, double degrees);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_DESKEW_H_
