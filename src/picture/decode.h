#ifndef OCELLI_PICTURE_DECODE_H_
#define OCELLI_PICTURE_DECODE_H_

#include <cstddef>
#include <span>

#include "base/error.h"
#include "picture/decode_limits.h"
#include "picture/picture_kind.h"
#include "picture/rgb_image.h"

namespace ocelli {

// What the header of a picture says.
struct PictureInfo {
  PictureKind kind = PictureKind::kPng;
  SizePx size;          // upright: after the orientation tag
  int orientation = 1;  // EXIF 1..8, as found; 1 when there is none or it makes no sense
  int num_frames = 1;   // frames or pages; the first is the one that is read
  bool has_alpha = false;
};

// Reads only the header of a picture: kind, size, frames. Takes no memory for pixels.
// **Errors**: as DecodePicture, but for damage behind the header. **Threads**: any.
Result<PictureInfo> ProbePicture(std::span<const std::byte> bytes, const DecodeLimits& limits);

// Decodes a JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF file to 8-bit sRGB as a person sees it:
// the first frame or page, turned upright by its EXIF orientation, colours converted by its ICC
// profile (CMYK without a profile by the plain formula), 16-bit reduced to 8, any alpha composited
// on white.
// **Errors**: kUnsupported when the bytes are no picture of these kinds (says what they look like);
// kTooLarge and kInvalidArgument for the limits; kCorruptData for damaged or cut-off files, never
// half a picture; kResourceExhausted when memory is exhausted.
// **Threads**: any number at once; works on the calling thread.
Result<RgbImage> DecodePicture(std::span<const std::byte> bytes, const DecodeLimits& limits);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_DECODE_H_
