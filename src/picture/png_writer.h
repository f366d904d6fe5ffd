#ifndef OCELLI_PICTURE_PNG_WRITER_H_
#define OCELLI_PICTURE_PNG_WRITER_H_

#include <string>

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Returns `image` as a PNG file, so that a person can see it. **Errors**: kResourceExhausted when
// memory is exhausted; kUnavailable without libvips. **Threads**: any number at once.
Result<std::string> EncodePng(const RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PNG_WRITER_H_
