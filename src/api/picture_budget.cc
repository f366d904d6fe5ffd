#include "api/picture_budget.h"

#include <algorithm>

namespace ocelli::api {
namespace {

using Detail = PictureReference::Detail;

bool HasUpperBound(const PictureOptions& options) {
  return options.max_pixels != 0 || options.max_image_tokens != 0;
}

}  // namespace

PictureOptions PictureBudget(const PictureReference& picture, const PictureOptions& defaults) {
  PictureOptions options = defaults;
  if (picture.min_pixels != 0) options.min_pixels = picture.min_pixels;
  if (picture.max_pixels != 0) {
    options.max_pixels = picture.max_pixels;
    options.max_image_tokens = 0;
  }
  if (picture.detail == Detail::kLow) {
    options.max_image_tokens = options.max_image_tokens == 0
                                   ? kLowDetailMaxImageTokens
                                   : std::min(options.max_image_tokens, kLowDetailMaxImageTokens);
  }
  if (picture.detail == Detail::kAuto && !HasUpperBound(options)) {
    options.max_image_tokens = kDefaultMaxImageTokens;
  }
  return options;
}

}  // namespace ocelli::api
