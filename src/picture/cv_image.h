#ifndef OCELLI_PICTURE_CV_IMAGE_H_
#define OCELLI_PICTURE_CV_IMAGE_H_

// What the files of this room that call OpenCV share. No other file includes it.

#include <fmt/format.h>

#include <new>
#include <opencv2/core.hpp>
#include <string_view>

#include "base/error.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Makes OpenCV use the calling thread only (compute threads belong to `parallel`) and keep its
// messages to itself. Every call goes through GuardCv, which does this first.
void PrepareOpenCv();

// Returns `image` as OpenCV sees it, sharing the pixels: [height, width] of 3 channels, RGB.
cv::Mat CvView(RgbImage& image);
const cv::Mat CvView(const RgbImage& image);

// Copies an 8-bit RGB picture of OpenCV's.
RgbImage FromCv(const cv::Mat& pixels);

// Returns the brightness of `image`, 8-bit.
cv::Mat GreyOf(const RgbImage& image);

// Returns `pixels` with its longer side at most `max_side`, by the mean of what falls together.
cv::Mat ShrunkTo(const cv::Mat& pixels, int max_side);

// Runs `body`, which calls OpenCV and returns a Result. **Errors**: its own; kResourceExhausted
// without memory; kInternal for any other exception of OpenCV's.
template <typename Body>
auto GuardCv(std::string_view what, Body body) -> decltype(body()) try {
  PrepareOpenCv();
  return body();
} catch (const cv::Exception& failure) {
  if (failure.code == cv::Error::StsNoMem) throw std::bad_alloc();
  return Error{ErrorCode::kInternal,
               fmt::format("{} failed inside OpenCV (code {}); send the picture without it", what,
                           failure.code),
               "enhance"};
}

}  // namespace ocelli

#endif  // OCELLI_PICTURE_CV_IMAGE_H_
