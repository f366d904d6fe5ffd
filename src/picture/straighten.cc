#include "picture/straighten.h"

#include <algorithm>
#include <map>
#include <opencv2/imgproc.hpp>

#include "picture/cv_image.h"

namespace ocelli {
namespace {

// OpenCV counts from the middle of the first pixel.
constexpr double kMiddle = 0.5;

cv::Matx33d MatrixOf(const Transform& to_source) {
  const Transform moved =
      Compose(Translation(-kMiddle, -kMiddle), Compose(to_source, Translation(kMiddle, kMiddle)));
  return cv::Matx33d(moved.m.data());
}

// The commonest colour along the edges, told to 16 levels a channel, as the mean of its pixels.
cv::Scalar EdgeColour(const cv::Mat& pixels) {
  struct Sum {
    cv::Vec3d total;
    double count = 0;
  };
  std::map<int, Sum> bins;
  const auto add = [&](int x, int y) {
    const auto colour = pixels.at<cv::Vec3b>(y, x);
    Sum& bin = bins[colour[0] / 16 * 256 + colour[1] / 16 * 16 + colour[2] / 16];
    bin.total += cv::Vec3d(colour);
    bin.count += 1;
  };
  for (int x = 0; x < pixels.cols; ++x) {
    add(x, 0);
    add(x, pixels.rows - 1);
  }
  for (int y = 0; y < pixels.rows; ++y) {
    add(0, y);
    add(pixels.cols - 1, y);
  }
  const auto commonest = std::max_element(
      bins.begin(), bins.end(), [](auto& a, auto& b) { return a.second.count < b.second.count; });
  return cv::Scalar(commonest->second.total / commonest->second.count);
}

}  // namespace

Result<RgbImage> DrawView(const RgbImage& source, const View& view) {
  return GuardCv("straightening", [&]() -> Result<RgbImage> {
    RgbImage drawn{view.size.width_px, view.size.height_px, {}};
    drawn.pixels.resize(drawn.row_bytes() * static_cast<size_t>(drawn.height_px));
    const cv::Mat pixels = CvView(source);
    cv::Mat target = CvView(drawn);
    cv::warpPerspective(pixels, target, MatrixOf(view.to_source), target.size(),
                        cv::INTER_CUBIC | cv::WARP_INVERSE_MAP, cv::BORDER_CONSTANT,
                        EdgeColour(pixels));
    return drawn;
  });
}

}  // namespace ocelli
