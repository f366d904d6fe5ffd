#include "picture/deskew.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "picture/cv_image.h"
#include "picture/page_ink.h"

namespace ocelli {
namespace {

constexpr int kSidePx = 800;  // lines of a full page are still apart
constexpr double kMostDegrees = 15;
constexpr double kCoarseStep = 0.5;
constexpr double kFineStep = 0.05;
// Below this nothing is gained, and drawing anew costs sharpness.
constexpr double kLeastDegrees = 0.4;
constexpr size_t kFewestInkPixels = 300;
constexpr size_t kMostInkPixels = 40'000;
// How much better than now, and than most other angles, the found one must be.
constexpr double kBetterThanNow = 1.15;
constexpr double kBetterThanMost = 1.6;

std::vector<cv::Point> InkPixels(const cv::Mat& ink) {
  std::vector<cv::Point> pixels;
  cv::findNonZero(ink, pixels);
  const size_t step = pixels.size() / kMostInkPixels + 1;
  std::vector<cv::Point> some;
  for (size_t i = 0; i < pixels.size(); i += step) some.push_back(pixels[i]);
  return some;
}

// How sharply rows of ink and rows without change places when the page is turned by `-degrees`.
double Sharpness(const std::vector<cv::Point>& ink, double degrees, std::vector<float>& rows) {
  const double radians = degrees * std::numbers::pi / 180;
  const double c = std::cos(radians);
  const double s = std::sin(radians);
  const auto middle = static_cast<double>(rows.size()) / 2;
  std::fill(rows.begin(), rows.end(), 0.0f);
  for (const cv::Point& point : ink) {
    const double y = middle + c * point.y - s * point.x;
    const auto row = static_cast<size_t>(y);
    const auto part = static_cast<float>(y - static_cast<double>(row));
    rows[row] += 1 - part;
    rows[row + 1] += part;
  }
  double sharpness = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const double change = rows[i] - rows[i - 1];
    sharpness += change * change;
  }
  return sharpness;
}

struct Angle {
  double degrees = 0;
  double sharpness = 0;
};

class SkewSearch {
 public:
  explicit SkewSearch(const cv::Mat& ink)
      : ink_(InkPixels(ink)), rows_(static_cast<size_t>(2 * (ink.rows + ink.cols) + 4)) {}

  double Find() {
    if (ink_.size() < kFewestInkPixels) return 0;
    std::vector<Angle> angles;
    for (double degrees = -kMostDegrees; degrees <= kMostDegrees; degrees += kCoarseStep)
      angles.push_back(At(degrees));
    const Angle coarse = *std::max_element(angles.begin(), angles.end(), Less);
    const Angle best = Refine(coarse);
    if (std::abs(best.degrees) < kLeastDegrees) return 0;
    if (std::abs(coarse.degrees) > kMostDegrees - kCoarseStep) return 0;  // it may go on outside
    if (best.sharpness < kBetterThanNow * Refine(At(0)).sharpness) return 0;
    const auto middle = angles.begin() + static_cast<std::ptrdiff_t>(angles.size() / 2);
    std::nth_element(angles.begin(), middle, angles.end(), Less);
    return best.sharpness < kBetterThanMost * middle->sharpness ? 0 : best.degrees;
  }

 private:
  static bool Less(const Angle& a, const Angle& b) { return a.sharpness < b.sharpness; }

  Angle At(double degrees) { return Angle{degrees, Sharpness(ink_, degrees, rows_)}; }

  // The best within less than a coarse step of `angle`.
  Angle Refine(Angle angle) {
    Angle best = angle;
    for (double off = -kCoarseStep + kFineStep; off < kCoarseStep; off += kFineStep)
      best = std::max(best, At(angle.degrees + off), Less);
    return best;
  }

  std::vector<cv::Point> ink_;
  std::vector<float> rows_;
};

}  // namespace

Result<double> FindSkew(const RgbImage& image) {
  return GuardCv("deskewing", [&]() -> Result<double> {
    return SkewSearch(InkMask(ShrunkTo(GreyOf(image), kSidePx))).Find();
  });
}

View LevelView(SizePx size, double degrees) {
  const double radians = std::abs(degrees) * std::numbers::pi / 180;
  const double c = std::cos(radians);
  const double s = std::sin(radians);
  const double width = std::ceil(size.width_px * c + size.height_px * s);
  const double height = std::ceil(size.width_px * s + size.height_px * c);
  const Transform about_middle = Compose(Rotation(degrees), Translation(-width / 2, -height / 2));
  return View{SizePx{static_cast<int>(width), static_cast<int>(height)},
              Compose(Translation(size.width_px / 2.0, size.height_px / 2.0), about_middle)};
}

}  // namespace ocelli
