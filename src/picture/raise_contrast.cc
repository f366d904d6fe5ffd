#include "picture/raise_contrast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "picture/cv_image.h"
#include "picture/page_ink.h"

namespace ocelli {
namespace {

constexpr double kOutliers = 0.001;  // of the pixels, at either end
constexpr double kNarrow = 140;      // levels between ink and ground; more is easy to read
constexpr double kMostGain = 4;
constexpr double kMostGrain = 10;  // levels that grain may have once stretched

struct Span {
  int low = 0;
  int high = 255;
};

Span SpanOf(const cv::Mat& grey) {
  std::array<size_t, 256> counts{};
  for (int y = 0; y < grey.rows; ++y) {
    const uint8_t* row = grey.ptr<uint8_t>(y);
    for (int x = 0; x < grey.cols; ++x) ++counts[row[x]];
  }
  const auto few = static_cast<size_t>(kOutliers * static_cast<double>(grey.total()));
  Span span;
  for (size_t seen = counts[0]; seen <= few;) seen += counts[static_cast<size_t>(++span.low)];
  for (size_t seen = counts[255]; seen <= few;) seen += counts[static_cast<size_t>(--span.high)];
  return span;
}

// Light ground becomes white, dark ground black, and the other end moves away from it.
std::array<uint8_t, 256> StretchTable(const Span& span, double gain, bool light_ground) {
  std::array<uint8_t, 256> table{};
  for (int level = 0; level < 256; ++level) {
    const double moved =
        light_ground ? 255 - gain * (span.high - level) : gain * (level - span.low);
    table[static_cast<size_t>(level)] =
        static_cast<uint8_t>(std::lround(std::clamp(moved, 0.0, 255.0)));
  }
  return table;
}

}  // namespace

Result<bool> RaiseContrast(RgbImage& image) {
  return GuardCv("raising the contrast", [&]() -> Result<bool> {
    const cv::Mat grey = GreyOf(image);
    const Span span = SpanOf(grey);
    const double width = span.high - span.low;
    if (width >= kNarrow || width < 1) return false;
    const double grain = std::max(NoiseOf(grey), 0.1);
    const double gain = std::min({255 / width, kMostGain, kMostGrain / grain});
    if (gain <= 1) return false;
    const bool light_ground = cv::mean(grey)[0] > (span.low + span.high) / 2.0;
    const auto table = StretchTable(span, gain, light_ground);
    for (uint8_t& sample : image.pixels) sample = table[sample];
    return true;
  });
}

}  // namespace ocelli
