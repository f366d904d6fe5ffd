#include "picture/decode_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace ocelli {

Status CheckEncodedSize(size_t encoded_bytes, const DecodeLimits& limits) {
  if (encoded_bytes <= limits.max_encoded_bytes) return {};
  return Error{ErrorCode::kTooLarge,
               fmt::format("the picture file has {} bytes, the limit is {}; send a smaller file",
                           encoded_bytes, limits.max_encoded_bytes),
               "max_encoded_bytes"};
}

Status CheckDeclaredSize(int64_t width_px, int64_t height_px, const DecodeLimits& limits) {
  if (width_px < 1 || height_px < 1) {
    return Error{ErrorCode::kCorruptData,
                 fmt::format("the picture's header declares {}x{} pixels, which is no picture",
                             width_px, height_px),
                 ""};
  }
  // Divided, not multiplied: hostile headers overflow any product.
  const auto width = static_cast<uint64_t>(width_px);
  const auto height = static_cast<uint64_t>(height_px);
  if (width > limits.max_pixels / height) {
    return Error{
        ErrorCode::kTooLarge,
        fmt::format("the picture has {}x{} pixels, the limit is {} pixels; send a smaller picture",
                    width, height, limits.max_pixels),
        "max_pixels"};
  }
  const double aspect =
      static_cast<double>(std::max(width, height)) / static_cast<double>(std::min(width, height));
  if (aspect > limits.max_aspect_ratio) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("the picture has {}x{} pixels, an aspect ratio of {:.1f}:1, the limit is {}:1; "
                    "cut it into parts",
                    width, height, aspect, limits.max_aspect_ratio),
        "max_aspect_ratio"};
  }
  return {};
}

}  // namespace ocelli
