#ifndef OCELLI_PICTURE_VIPS_READER_H_
#define OCELLI_PICTURE_VIPS_READER_H_

#include <cstddef>
#include <span>

#include "base/error.h"
#include "picture/decode.h"

namespace ocelli {

// Starts libvips, once a process. **Errors**: kUnavailable. **Threads**: every thread that uses
// libvips calls it, and what libvips keeps for that thread is freed when it ends.
Status StartVips();

// Every kind but BMP, through libvips. Only the loader of the sniffed kind is ever called, and
// loaders that libvips marks untrusted stay blocked for the whole process.
// **Errors**, **Threads**: as ProbePicture and DecodePicture.
Result<PictureInfo> ProbeWithVips(PictureKind kind, std::span<const std::byte> bytes,
                                  const DecodeLimits& limits);
Result<RgbImage> DecodeWithVips(PictureKind kind, std::span<const std::byte> bytes,
                                const DecodeLimits& limits);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_VIPS_READER_H_
