#ifndef OCELLI_PICTURE_ENHANCE_OPTIONS_H_
#define OCELLI_PICTURE_ENHANCE_OPTIONS_H_

#include "base/error.h"

namespace ocelli {

// The steps that may make a page easier to read, in their order. Each looks whether it is needed
// and does nothing to a page that does not need it; `turn` and `binarize` are done when asked. The
// defaults are those that read best in tests/embedded.
struct EnhanceOptions {
  int turn = 0;           // degrees clockwise: 0, 90, 180, 270
  bool page = true;       // a page seen at an angle becomes upright and fills the picture
  bool deskew = true;     // lines that are a few degrees off become level
  bool light = true;      // shadows and uneven light
  bool denoise = true;    // grain
  bool contrast = true;   // faint text on any ground
  bool enlarge = false;   // letters of a few pixels; off: the embedded model reads them worse
  bool binarize = false;  // black and white only, by the light around each pixel

  bool operator==(const EnhanceOptions&) const = default;
};

// **Errors**: kInvalidArgument for a turn by anything but quarters.
Status CheckEnhanceOptions(const EnhanceOptions& options);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_ENHANCE_OPTIONS_H_
