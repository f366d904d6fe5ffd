#ifndef OCELLI_PICTURE_DECODE_LIMITS_H_
#define OCELLI_PICTURE_DECODE_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// What a picture may ask of the machine. All three are checked before any pixel has memory.
struct DecodeLimits {
  size_t max_encoded_bytes = size_t{64} << 20;
  // 100 megapixels: an A3 page at 600 dpi and every common camera fit; decoded it is 300 MB.
  uint64_t max_pixels = 100'000'000;
  double max_aspect_ratio = 200;  // longer side / shorter side; the size rule has the same limit
};

// Checks the number of bytes of a file. **Errors**: kTooLarge, param "max_encoded_bytes".
Status CheckEncodedSize(size_t encoded_bytes, const DecodeLimits& limits);

// Checks the size that a header declares (64-bit, as it stands in the file).
// **Errors**: kCorruptData for an empty picture; kTooLarge with param "max_pixels";
// kInvalidArgument with param "max_aspect_ratio". The message names the value and the limit.
Status CheckDeclaredSize(int64_t width_px, int64_t height_px, const DecodeLimits& limits);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_DECODE_LIMITS_H_
