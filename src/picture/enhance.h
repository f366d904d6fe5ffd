#ifndef OCELLI_PICTURE_ENHANCE_H_
#define OCELLI_PICTURE_ENHANCE_H_

#include <string_view>
#include <vector>

#include "base/error.h"
#include "picture/enhance_options.h"
#include "picture/rgb_image.h"
#include "picture/transform.h"

namespace ocelli {

// What an enhancement did.
struct EnhanceFacts {
  SizePx original_size;                 // of the picture as it came
  SizePx size;                          // of the enhanced picture
  std::vector<std::string_view> steps;  // those that changed something, in their order
  Transform to_original;                // a place in the enhanced picture -> in the original
  bool blank = false;                   // nothing can be read on it: no step was tried
};

struct EnhancedImage {
  RgbImage image;
  EnhanceFacts facts;
};

// Makes a picture of text easier to read: what `options` allow and the picture needs. A picture
// that needs nothing comes back as it is, bit for bit.
// **Errors**: those of CheckEnhanceOptions; kResourceExhausted without memory; kInternal when
// OpenCV fails. **Threads**: any number at once; works on the calling thread.
Result<EnhancedImage> EnhancePicture(RgbImage image, const EnhanceOptions& options);

// Whether nothing can be read on `image`: one colour, a slow change of light, or noise alone.
// **Errors**, **Threads**: as EnhancePicture.
Result<bool> IsBlankPicture(const RgbImage& image);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_ENHANCE_H_
