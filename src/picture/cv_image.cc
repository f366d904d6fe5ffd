#include "picture/cv_image.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

namespace ocelli {
namespace {

int KeepSilent(int, const char*, const char*, const char*, int, void*) { return 0; }

bool Prepare() {
  cv::setNumThreads(1);
  cv::redirectError(KeepSilent);
  return true;
}

}  // namespace

void PrepareOpenCv() {
  static const bool prepared = Prepare();
  static_cast<void>(prepared);
}

cv::Mat CvView(RgbImage& image) {
  return cv::Mat(image.height_px, image.width_px, CV_8UC3, image.pixels.data());
}

const cv::Mat CvView(const RgbImage& image) {
  return cv::Mat(image.height_px, image.width_px, CV_8UC3,
                 const_cast<uint8_t*>(image.pixels.data()));
}

RgbImage FromCv(const cv::Mat& pixels) {
  RgbImage image{pixels.cols, pixels.rows, {}};
  image.pixels.resize(image.row_bytes() * static_cast<size_t>(image.height_px));
  pixels.copyTo(CvView(image));
  return image;
}

cv::Mat GreyOf(const RgbImage& image) {
  cv::Mat grey;
  cv::cvtColor(CvView(image), grey, cv::COLOR_RGB2GRAY);
  return grey;
}

cv::Mat ShrunkTo(const cv::Mat& pixels, int max_side) {
  const double scale = static_cast<double>(max_side) / std::max(pixels.cols, pixels.rows);
  if (scale >= 1) return pixels;
  const auto side = [scale](int length) {
    return std::max(1, static_cast<int>(std::lround(length * scale)));
  };
  cv::Mat small;
  cv::resize(pixels, small, cv::Size(side(pixels.cols), side(pixels.rows)), 0, 0, cv::INTER_AREA);
  return small;
}

}  // namespace ocelli
