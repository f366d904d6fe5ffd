#include "picture/page_outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "picture/cv_image.h"
#include "picture/page_ink.h"

namespace ocelli {
namespace {

constexpr int kSidePx = 500;
constexpr double kLeastArea = 0.2;  // of the picture
constexpr double kMostArea = 0.95;
constexpr double kCornerTolerance = 0.02;  // of the outline's length, when it is made straight
constexpr double kLeastMargin = 2;         // pixels between a corner and the edge of the picture
constexpr double kMostCosine = 0.5;        // corners of 60 to 120 degrees
constexpr int kEdgeSamples = 40;
constexpr double kEdgeReach = 4;  // pixels to either side of an edge
constexpr int kLeastStep = 20;    // levels of brightness that the page is above the ground
constexpr double kSeenPart = 0.85;
constexpr double kOutsideInk = 40;  // contrast that writing outside would have
constexpr double kMostOutsideInk = 0.01;
// Sides that are off by less than this part of their length are upright as they are.
constexpr double kUpright = 0.012;

using Quad = std::array<cv::Point2d, 4>;  // from the top left, clockwise

double Length(cv::Point2d v) { return std::hypot(v.x, v.y); }

Quad Ordered(const std::vector<cv::Point>& corners) {
  Quad quad;
  for (size_t i = 0; i < 4; ++i) quad[i] = corners[i];
  cv::Point2d middle = (quad[0] + quad[1] + quad[2] + quad[3]) * 0.25;
  std::sort(quad.begin(), quad.end(), [&](cv::Point2d a, cv::Point2d b) {
    return std::atan2(a.y - middle.y, a.x - middle.x) < std::atan2(b.y - middle.y, b.x - middle.x);
  });
  const auto first = std::min_element(
      quad.begin(), quad.end(), [](cv::Point2d a, cv::Point2d b) { return a.x + a.y < b.x + b.y; });
  std::rotate(quad.begin(), first, quad.end());
  return quad;
}

bool HasRightShape(const Quad& quad, cv::Size size) {
  for (size_t i = 0; i < 4; ++i) {
    const cv::Point2d corner = quad[i];
    const cv::Point2d to_next = quad[(i + 1) % 4] - corner;
    const cv::Point2d to_last = quad[(i + 3) % 4] - corner;
    const double cosine = to_next.dot(to_last) / (Length(to_next) * Length(to_last));
    if (std::abs(cosine) > kMostCosine) return false;
    if (corner.x < kLeastMargin || corner.y < kLeastMargin ||
        corner.x > size.width - 1 - kLeastMargin || corner.y > size.height - 1 - kLeastMargin) {
      return false;
    }
  }
  return true;
}

bool IsUpright(const Quad& quad) {
  for (size_t i = 0; i < 4; ++i) {
    const cv::Point2d side = quad[(i + 1) % 4] - quad[i];
    const double off = std::min(std::abs(side.x), std::abs(side.y));
    if (off > kUpright * Length(side)) return false;
  }
  return true;
}

int LevelNear(const cv::Mat& grey, cv::Point2d at) {
  const int x = std::clamp(static_cast<int>(std::lround(at.x)), 0, grey.cols - 1);
  const int y = std::clamp(static_cast<int>(std::lround(at.y)), 0, grey.rows - 1);
  return grey.at<uint8_t>(y, x);
}

// Whether the page is brighter than what is around it along the side from `a` to `b`.
bool EdgeIsSeen(const cv::Mat& grey, cv::Point2d a, cv::Point2d b) {
  const cv::Point2d along = b - a;
  const cv::Point2d outwards = cv::Point2d(along.y, -along.x) * (kEdgeReach / Length(along));
  int seen = 0;
  for (int i = 1; i <= kEdgeSamples; ++i) {
    const cv::Point2d at = a + along * (static_cast<double>(i) / (kEdgeSamples + 1));
    seen += LevelNear(grey, at - outwards) >= LevelNear(grey, at + outwards) + kLeastStep;
  }
  return seen >= kSeenPart * kEdgeSamples;
}

// Whether something is written outside the page, which cutting it out would lose.
bool IsWrittenOutside(const cv::Mat& grey, const Quad& quad) {
  std::vector<cv::Point> corners(quad.begin(), quad.end());
  cv::Mat outside(grey.size(), CV_8U, cv::Scalar(255));
  cv::fillConvexPoly(outside, corners, cv::Scalar(0));
  // The page's own edge stands out as far as the surroundings that LocalContrast looks at.
  cv::polylines(outside, corners, true, cv::Scalar(0), 36);
  const double all = cv::countNonZero(outside);
  const cv::Mat ink = (LocalContrast(grey) > kOutsideInk) & outside;
  return all > 0 && cv::countNonZero(ink) > kMostOutsideInk * all;
}

std::optional<Quad> LargestQuad(const cv::Mat& grey) {
  cv::Mat smooth, bright;
  cv::GaussianBlur(grey, smooth, cv::Size(5, 5), 0);
  cv::threshold(smooth, bright, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU);
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(bright, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  std::optional<Quad> largest;
  double most = kLeastArea * static_cast<double>(grey.total());
  for (const auto& contour : contours) {
    std::vector<cv::Point> hull, corners;
    cv::convexHull(contour, hull);
    const double area = cv::contourArea(hull);
    if (area < most || area > kMostArea * static_cast<double>(grey.total())) continue;
    cv::approxPolyDP(hull, corners, kCornerTolerance * cv::arcLength(hull, true), true);
    if (corners.size() != 4) continue;
    most = area;
    largest = Ordered(corners);
  }
  return largest;
}

bool IsCertain(const cv::Mat& grey, const Quad& quad) {
  if (!HasRightShape(quad, grey.size()) || IsUpright(quad)) return false;
  for (size_t i = 0; i < 4; ++i) {
    if (!EdgeIsSeen(grey, quad[i], quad[(i + 1) % 4])) return false;
  }
  return !IsWrittenOutside(grey, quad);
}

// The view that spreads `quad`, in pixels of the picture, over an upright rectangle of its size.
View UprightView(const Quad& quad) {
  const double width = std::max(Length(quad[1] - quad[0]), Length(quad[2] - quad[3]));
  const double height = std::max(Length(quad[3] - quad[0]), Length(quad[2] - quad[1]));
  const SizePx size{std::max(1, static_cast<int>(std::lround(width))),
                    std::max(1, static_cast<int>(std::lround(height)))};
  const auto w = static_cast<float>(size.width_px);
  const auto h = static_cast<float>(size.height_px);
  const cv::Point2f from[4] = {{0, 0}, {w, 0}, {w, h}, {0, h}};
  const cv::Point2f to[4] = {quad[0], quad[1], quad[2], quad[3]};
  const cv::Matx33d matrix = cv::getPerspectiveTransform(from, to);
  View view{size, {}};
  std::copy(matrix.val, matrix.val + 9, view.to_source.m.begin());
  return view;
}

}  // namespace

Result<std::optional<View>> FindPage(const RgbImage& image) {
  return GuardCv("finding the page", [&]() -> Result<std::optional<View>> {
    const cv::Mat grey = ShrunkTo(GreyOf(image), kSidePx);
    std::optional<Quad> quad = LargestQuad(grey);
    if (!quad || !IsCertain(grey, *quad)) return std::optional<View>();
    const double x = static_cast<double>(image.width_px) / grey.cols;
    const double y = static_cast<double>(image.height_px) / grey.rows;
    for (cv::Point2d& corner : *quad)
      corner = cv::Point2d((corner.x + 0.5) * x, (corner.y + 0.5) * y);
    return std::optional<View>(UprightView(*quad));
  });
}

}  // namespace ocelli
