#include "picture/binarize.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "picture/cv_image.h"

namespace ocelli {
namespace {

constexpr int kLeastWindowPx = 31;
constexpr int kWindowsPerSide = 24;
constexpr double kBelowMean = 12;  // levels that ink is darker than what is around it
constexpr double kDarkGround = 110;

}  // namespace

Result<bool> Binarize(RgbImage& image) {
  return GuardCv("binarising", [&]() -> Result<bool> {
    cv::Mat grey = GreyOf(image), two;
    if (cv::mean(grey)[0] < kDarkGround) cv::bitwise_not(grey, grey);
    const int longer = std::max(image.width_px, image.height_px);
    const int window = std::max(kLeastWindowPx, longer / kWindowsPerSide) | 1;
    cv::adaptiveThreshold(grey, two, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, window,
                          kBelowMean);
    cv::cvtColor(two, CvView(image), cv::COLOR_GRAY2RGB);
    return true;
  });
}

}  // namespace ocelli
