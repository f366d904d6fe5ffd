#include "picture/enlarge_text.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "picture/cv_image.h"
#include "picture/page_ink.h"

namespace ocelli {
namespace {

constexpr double kSmallLetterPx = 11;   // lower-case letters below this are hard to read
constexpr double kWantedLetterPx = 16;  // one row of the model's patches
constexpr double kMostFactor = 3;
constexpr double kMostPixels = 1024 * 1024;  // more is shrunk again by default
constexpr double kLeastFactor = 1.2;         // less is not worth a picture drawn anew

}  // namespace

Result<bool> EnlargeText(RgbImage& image) {
  return GuardCv("enlarging", [&]() -> Result<bool> {
    const auto pixels = static_cast<double>(image.size().num_pixels());
    const double room = std::sqrt(kMostPixels / pixels);
    if (room < kLeastFactor) return false;
    const double letter = LetterHeight(InkMask(GreyOf(image)));
    if (letter == 0 || letter >= kSmallLetterPx) return false;
    const double factor = std::min({kWantedLetterPx / letter, kMostFactor, room});
    if (factor < kLeastFactor) return false;
    cv::Mat large;
    cv::resize(CvView(image), large, cv::Size(), factor, factor, cv::INTER_CUBIC);
    image = FromCv(large);
    return true;
  });
}

}  // namespace ocelli
