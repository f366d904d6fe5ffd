#ifndef OCELLI_PICTURE_PICTURE_KIND_H_
#define OCELLI_PICTURE_PICTURE_KIND_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.h"

namespace ocelli {

// The kinds of picture that are read. Nothing outside this list ever reaches a decoder.
enum class PictureKind { kJpeg, kPng, kWebp, kGif, kBmp, kTiff, kHeic, kAvif };

// Returns the usual name of `kind`: "JPEG", "PNG", ...
std::string_view PictureKindName(PictureKind kind);

// Tells the kind of picture from its first bytes; file names and MIME types are not believed.
// **Errors**: kCorruptData for no bytes; kUnsupported for anything else, naming what the bytes look
// like (HTML, SVG, PDF, text, an archive, a picture kind that is not read, ...).
Result<PictureKind> SniffPictureKind(std::span<const std::byte> bytes);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PICTURE_KIND_H_
