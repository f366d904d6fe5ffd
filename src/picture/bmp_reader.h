#ifndef OCELLI_PICTURE_BMP_READER_H_
#define OCELLI_PICTURE_BMP_READER_H_

#include <cstddef>
#include <span>

#include "base/error.h"
#include "picture/decode.h"

namespace ocelli {

// BMP of every common sort: OS/2 and Windows headers up to version 5; 1, 4, 8, 16, 24 and 32 bits a
// pixel; bit-field masks; RLE4 and RLE8; bottom-up and top-down. Ours because libvips reads BMP
// only through ImageMagick, which it marks untrusted. An alpha mask counts only where some pixel
// uses it; pixels that a run-length code skips have colour 0 of the palette.
// **Errors**, **Threads**: as ProbePicture and DecodePicture. **Ref**: BITMAPV5HEADER.
Result<PictureInfo> ProbeBmp(std::span<const std::byte> bytes, const DecodeLimits& limits);
Result<RgbImage> DecodeBmp(std::span<const std::byte> bytes, const DecodeLimits& limits);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_BMP_READER_H_
