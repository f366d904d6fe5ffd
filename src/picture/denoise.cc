#include "picture/denoise.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "picture/cv_image.h"
#include "picture/page_ink.h"

namespace ocelli {
namespace {

constexpr double kLeastNoise = 4;  // levels; less of it readers do not mind
constexpr double kMostNoise = 30;
constexpr int kDiameterPx = 7;
constexpr double kReachPx = 2;
constexpr double kColourReach = 3;  // deviations of the noise: edges of text are far above

}  // namespace

Result<bool> Denoise(RgbImage& image) {
  return GuardCv("denoising", [&]() -> Result<bool> {
    const double noise = NoiseOf(GreyOf(image));
    if (noise < kLeastNoise) return false;
    cv::Mat smooth;
    cv::bilateralFilter(CvView(image), smooth, kDiameterPx,
                        kColourReach * std::min(noise, kMostNoise), kReachPx);
    image = FromCv(smooth);
    return true;
  });
}

}  // namespace ocelli
