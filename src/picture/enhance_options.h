#ifndef OCELLI_PICTURE_ENHANCE_OPTIONS_H_
#define OCELLI_PICTURE_ENHANCE_OPTIONS_H_

#include "base/error.h"

namespace ocelli {

// The steps that may make a page easier to read, in their order. Each looks whether it is needed
// and does nothing to a page that does not need it; `turn` and `binarize` are done when asked.
struct EnhanceOptions {
  int turn = 0;           // degrees clockwise: 0, 90, 180, 270
  bool page = true;       // a page seen at an angle becomes upright and fills the picture
  bool deskew = true;     // lines that are a few degrees off become level
  bool light = true;      // shadows and uneven light
  bool denoise = true;    // grain
  bool contrast = true;   // faint text on any ground
  bool enlarge = true;    // letters of a few pixels
  bool binarize = false;  // black and white only, by the light around each pixel

  bool operator==(const EnhanceOptions&) const = default;
};

// **Errors**: kInvalidArgument for a turn by anything but quarters.
Status CheckEnhanceOptions(const EnhanceOptions& options);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_ENHANCE_OPTIONS_H_
