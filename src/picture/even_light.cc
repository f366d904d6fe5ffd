#include "picture/even_light.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "picture/cv_image.h"

namespace ocelli {
namespace {

constexpr int kSidePx = 400;
constexpr int kPaperPx = 25;       // wider than the strokes of most letters at kSidePx
constexpr double kLeastSpan = 24;  // levels between the darkest and the brightest paper
constexpr double kDarkest = 50;    // paper darker than this is no paper in shadow
constexpr double kMostGain = 3;
// Painted ground is flat between its edges; light on paper changes everywhere, but slowly.
constexpr float kFlatStep = 0.2f;
constexpr float kSlowStep = 6;
constexpr double kMostFlat = 0.6;
constexpr double kLeastSlow = 0.9;

// The brightness of the paper under the ink: letters vanish under their brightest neighbours.
cv::Mat PaperOf(const cv::Mat& grey) {
  const cv::Mat kernel = cv::getStructuringElement(cv::MORPH_ELLIPSE, cv::Size(kPaperPx, kPaperPx));
  cv::Mat smooth, paper;
  cv::GaussianBlur(grey, smooth, cv::Size(3, 3), 0);  // grain must not pass for bright paper
  cv::morphologyEx(smooth, paper, cv::MORPH_CLOSE, kernel, cv::Point(-1, -1), 1,
                   cv::BORDER_REPLICATE);
  paper.convertTo(paper, CV_32F);
  cv::GaussianBlur(paper, paper, cv::Size(kPaperPx, kPaperPx), 0, 0, cv::BORDER_REPLICATE);
  return paper;
}

struct Steps {
  double flat = 0;  // the part of the neighbours that are equal
  double slow = 0;  // and of those that are nearly so
};

// Looks at neighbours that are as far apart as the smoothing reaches.
Steps StepsOf(const cv::Mat& paper) {
  constexpr int kApart = kPaperPx / 3;
  size_t flat = 0, slow = 0, all = 0;
  const auto count = [&](float a, float b) {
    const float step = std::abs(a - b);
    flat += step <= kFlatStep;
    slow += step <= kSlowStep;
    ++all;
  };
  for (int y = 0; y + kApart < paper.rows; y += kApart) {
    for (int x = 0; x + kApart < paper.cols; x += kApart) {
      count(paper.at<float>(y, x), paper.at<float>(y, x + kApart));
      count(paper.at<float>(y, x), paper.at<float>(y + kApart, x));
    }
  }
  if (all == 0) return Steps{1, 1};
  const auto part = [all](size_t n) { return static_cast<double>(n) / static_cast<double>(all); };
  return Steps{part(flat), part(slow)};
}

struct Span {
  double low = 0;
  double high = 0;
};

Span SpanOf(const cv::Mat& paper) {
  std::vector<float> levels(paper.begin<float>(), paper.end<float>());
  const auto at = [&](double part) {
    const auto place =
        levels.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(levels.size() - 1));
    std::nth_element(levels.begin(), place, levels.end());
    return static_cast<double>(*place);
  };
  return Span{at(0.03), at(0.97)};
}

bool IsNeeded(const cv::Mat& paper, const Span& span) {
  if (span.high - span.low < kLeastSpan || span.low < kDarkest) return false;
  const Steps steps = StepsOf(paper);
  return steps.flat <= kMostFlat && steps.slow >= kLeastSlow;
}

void Brighten(RgbImage& image, const cv::Mat& gains) {
  for (int y = 0; y < image.height_px; ++y) {
    const float* gain = gains.ptr<float>(y);
    uint8_t* row = image.Row(y);
    for (int x = 0; x < image.width_px; ++x, row += 3) {
      for (int c = 0; c < 3; ++c) {
        const float bright = static_cast<float>(row[c]) * gain[x] + 0.5f;
        row[c] = static_cast<uint8_t>(std::min(bright, 255.0f));
      }
    }
  }
}

}  // namespace

Result<bool> EvenLight(RgbImage& image) {
  return GuardCv("evening out the light", [&]() -> Result<bool> {
    const cv::Mat paper = PaperOf(ShrunkTo(GreyOf(image), kSidePx));
    const Span span = SpanOf(paper);
    if (!IsNeeded(paper, span)) return false;
    cv::Mat gains = span.high / paper;
    gains = cv::min(cv::max(gains, 1.0), kMostGain);
    cv::Mat full;
    cv::resize(gains, full, cv::Size(image.width_px, image.height_px), 0, 0, cv::INTER_LINEAR);
    Brighten(image, full);
    return true;
  });
}

}  // namespace ocelli
