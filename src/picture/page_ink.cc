#include "picture/page_ink.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace ocelli {
namespace {

constexpr int kSurroundingsPx = 31;

// A pixel further than this from its surroundings is drawn, whatever the noise.
constexpr double kSureContrast = 24;
// The strongest of four million pixels of noise is 5.3 deviations from the mean.
constexpr double kNoiseDeviations = 6.5;
// Rounding and the blocks of a JPEG stay below this.
constexpr double kLeastContrast = 5;
constexpr double kDeviationOfMedian = 1.4826;  // of a normal distribution

constexpr int kNoiseTilePx = 32;
constexpr double kNoiseGain = 6;  // deviation of the noise kernel's answer to noise of 1

constexpr double kInkOfSpan = 0.3;  // of the contrast of the strongest ink
constexpr double kLeastInk = 8;

constexpr size_t kFewestLetters = 5;
constexpr int kLeastLetterPx = 4;

// Returns the level below which `part` of the pixels of an 8-bit picture are.
int LevelAt(const cv::Mat& grey, double part) {
  std::vector<size_t> counts(256);
  for (int y = 0; y < grey.rows; ++y) {
    const uint8_t* row = grey.ptr<uint8_t>(y);
    for (int x = 0; x < grey.cols; ++x) ++counts[row[x]];
  }
  const auto wanted = static_cast<size_t>(part * static_cast<double>(grey.total()));
  size_t seen = 0;
  for (int level = 0; level < 256; ++level) {
    seen += counts[static_cast<size_t>(level)];
    if (seen > wanted) return level;
  }
  return 255;
}

}  // namespace

cv::Mat LocalContrast(const cv::Mat& grey) {
  cv::Mat near, around, contrast;
  cv::blur(grey, near, cv::Size(3, 3), cv::Point(-1, -1), cv::BORDER_REPLICATE);
  cv::blur(grey, around, cv::Size(kSurroundingsPx, kSurroundingsPx), cv::Point(-1, -1),
           cv::BORDER_REPLICATE);
  cv::absdiff(near, around, contrast);
  return contrast;
}

double NoiseOf(const cv::Mat& grey) {
  const cv::Mat kernel = (cv::Mat_<float>(3, 3) << 1, -2, 1, -2, 4, -2, 1, -2, 1);
  cv::Mat answer;
  cv::filter2D(grey, answer, CV_16S, kernel, cv::Point(-1, -1), 0, cv::BORDER_REFLECT_101);
  std::vector<double> tiles;
  std::vector<int> levels;
  for (int top = 0; top == 0 || top + kNoiseTilePx <= grey.rows; top += kNoiseTilePx) {
    for (int left = 0; left == 0 || left + kNoiseTilePx <= grey.cols; left += kNoiseTilePx) {
      levels.clear();
      for (int y = top; y < std::min(top + kNoiseTilePx, grey.rows); ++y) {
        const int16_t* row = answer.ptr<int16_t>(y);
        for (int x = left; x < std::min(left + kNoiseTilePx, grey.cols); ++x)
          levels.push_back(std::abs(row[x]));
      }
      const auto middle = levels.begin() + static_cast<std::ptrdiff_t>(levels.size() / 2);
      std::nth_element(levels.begin(), middle, levels.end());
      tiles.push_back(*middle * kDeviationOfMedian / kNoiseGain);
    }
  }
  const auto quarter = tiles.begin() + static_cast<std::ptrdiff_t>(tiles.size() / 4);
  std::nth_element(tiles.begin(), quarter, tiles.end());
  return *quarter;
}

bool IsBlank(const cv::Mat& grey) {
  const cv::Mat contrast = LocalContrast(grey);
  double strongest = 0;
  cv::minMaxLoc(contrast, nullptr, &strongest);
  const double noise = NoiseOf(grey) / 3;  // of the mean of 3x3 pixels
  return strongest <= std::clamp(kNoiseDeviations * noise, kLeastContrast, kSureContrast);
}

cv::Mat InkMask(const cv::Mat& grey) {
  const cv::Mat contrast = LocalContrast(grey);
  const double span = LevelAt(contrast, 0.995);
  cv::Mat ink;
  cv::threshold(contrast, ink, std::max(kLeastInk, kInkOfSpan * span), 255, cv::THRESH_BINARY);
  return ink;
}

double LetterHeight(const cv::Mat& ink) {
  cv::Mat labels, stats, centres;
  const int count = cv::connectedComponentsWithStats(ink, labels, stats, centres, 8);
  std::vector<int> heights;
  for (int i = 1; i < count; ++i) {  // 0 is the ground
    const int width = stats.at<int>(i, cv::CC_STAT_WIDTH);
    const int height = stats.at<int>(i, cv::CC_STAT_HEIGHT);
    const bool letter = height >= kLeastLetterPx && height < ink.rows / 2 && width < 20 * height &&
                        height < 4 * width + 8;
    if (letter) heights.push_back(height);
  }
  if (heights.size() < kFewestLetters) return 0;
  const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2);
  std::nth_element(heights.begin(), middle, heights.end());
  return *middle;
}

}  // namespace ocelli
