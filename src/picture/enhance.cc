#include "picture/enhance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "picture/binarize.h"
#include "picture/cv_image.h"
#include "picture/denoise.h"
#include "picture/deskew.h"
#include "picture/enlarge_text.h"
#include "picture/even_light.h"
#include "picture/orientation.h"
#include "picture/page_ink.h"
#include "picture/page_outline.h"
#include "picture/raise_contrast.h"
#include "picture/straighten.h"

namespace ocelli {
namespace {

// More than any checkpoint's processor uses: what is above it costs seconds and is lost anyway.
constexpr double kMostPixels = 16'777'216;

// The EXIF orientation that asks for a turn by `degrees`, and the map back from the turned picture.
int OrientationOf(int degrees) { return degrees == 90 ? 6 : degrees == 180 ? 3 : 8; }

Transform TurnedBack(SizePx original, int degrees) {
  const double width = original.width_px;
  const double height = original.height_px;
  switch (degrees) {
    case 90:
      return Transform{{0, 1, 0, -1, 0, height, 0, 0, 1}};
    case 180:
      return Transform{{-1, 0, width, 0, -1, height, 0, 0, 1}};
    default:
      return Transform{{0, -1, width, 1, 0, 0, 0, 0, 1}};
  }
}

class Enhancer {
 public:
  Enhancer(RgbImage image, const EnhanceOptions& options) : options_(options) {
    result_.facts.original_size = image.size();
    result_.image = std::move(image);
  }

  Result<EnhancedImage> Run() {
    OCELLI_RETURN_IF_ERROR(Shrink());
    Turn();
    OCELLI_ASSIGN_OR_RETURN(result_.facts.blank, IsBlankPicture(result_.image));
    if (!result_.facts.blank) {
      OCELLI_RETURN_IF_ERROR(Straighten());
      OCELLI_RETURN_IF_ERROR(Step(options_.light, "light", EvenLight));
      OCELLI_RETURN_IF_ERROR(Step(options_.denoise, "denoise", Denoise));
      OCELLI_RETURN_IF_ERROR(Step(options_.contrast, "contrast", RaiseContrast));
      OCELLI_RETURN_IF_ERROR(Enlarge());
      OCELLI_RETURN_IF_ERROR(Step(options_.binarize, "binarize", Binarize));
    }
    KeepUnchanged();
    result_.facts.size = result_.image.size();
    return std::move(result_);
  }

 private:
  // Goes on with what can be used of a very large picture.
  Status Shrink() {
    const SizePx before = result_.image.size();
    const double excess = static_cast<double>(before.num_pixels()) / kMostPixels;
    if (excess <= 1) return {};
    const double side = std::max(before.width_px, before.height_px) / std::sqrt(excess);
    OCELLI_ASSIGN_OR_RETURN(
        RgbImage small, GuardCv("shrinking", [&]() -> Result<RgbImage> {
          return FromCv(ShrunkTo(CvView(result_.image), static_cast<int>(side)));
        }));
    result_.facts.to_original = Scaling(static_cast<double>(before.width_px) / small.width_px,
                                        static_cast<double>(before.height_px) / small.height_px);
    whole_ = std::exchange(result_.image, std::move(small));
    return {};
  }

  // Where no step was needed, a picture that was shrunk for them comes back whole.
  void KeepUnchanged() {
    if (!whole_) return;
    if (!result_.facts.steps.empty()) {
      result_.facts.steps.insert(result_.facts.steps.begin(), "shrink");
      return;
    }
    result_.image = *std::move(whole_);
    result_.facts.to_original = Transform();
  }

  void Turn() {
    if (options_.turn == 0) return;
    const int orientation = OrientationOf(options_.turn);
    const RgbImage before = std::move(result_.image);
    const SizePx size = UprightSize(before.size(), orientation);
    RgbImage after{size.width_px, size.height_px, {}};
    after.pixels.resize(before.pixels.size());
    PlaceUpright(before.pixels.data(), before.size(), 0, before.height_px, orientation, after);
    result_.facts.to_original =
        Compose(result_.facts.to_original, TurnedBack(before.size(), options_.turn));
    result_.facts.steps.push_back("turn");
    result_.image = std::move(after);
  }

  // Both steps that move pixels are drawn in one go: each drawing costs sharpness.
  Status Straighten() {
    std::optional<View> view;
    std::optional<RgbImage> page;
    if (options_.page) {
      OCELLI_ASSIGN_OR_RETURN(view, FindPage(result_.image));
    }
    if (view) {
      result_.facts.steps.push_back("page");
      OCELLI_ASSIGN_OR_RETURN(page, DrawView(result_.image, *view));
    }
    if (options_.deskew) {
      OCELLI_ASSIGN_OR_RETURN(const double skew, FindSkew(page ? *page : result_.image));
      if (skew != 0) {
        const View level = LevelView(view ? view->size : result_.image.size(), skew);
        view = View{level.size, view ? Compose(view->to_source, level.to_source) : level.to_source};
        result_.facts.steps.push_back("deskew");
        page.reset();
      }
    }
    if (!view) return {};
    if (!page) {
      OCELLI_ASSIGN_OR_RETURN(page, DrawView(result_.image, *view));
    }
    result_.facts.to_original = Compose(result_.facts.to_original, view->to_source);
    result_.image = *std::move(page);
    return {};
  }

  Status Enlarge() {
    const SizePx before = result_.image.size();
    OCELLI_RETURN_IF_ERROR(Step(options_.enlarge, "enlarge", EnlargeText));
    const SizePx after = result_.image.size();
    if (after == before) return {};
    result_.facts.to_original =
        Compose(result_.facts.to_original,
                Scaling(static_cast<double>(before.width_px) / after.width_px,
                        static_cast<double>(before.height_px) / after.height_px));
    return {};
  }

  Status Step(bool wanted, std::string_view name, Result<bool> (*step)(RgbImage&)) {
    if (!wanted) return {};
    OCELLI_ASSIGN_OR_RETURN(const bool changed, step(result_.image));
    if (changed) result_.facts.steps.push_back(name);
    return {};
  }

  const EnhanceOptions options_;
  EnhancedImage result_;
  std::optional<RgbImage> whole_;  // as it came, when result_ goes on with a smaller one
};

Error OutOfMemory(SizePx size) {
  return Error{ErrorCode::kResourceExhausted,
               fmt::format("there is not enough memory to enhance a picture of {}x{} pixels; try "
                           "again later, or without",
                           size.width_px, size.height_px),
               "enhance"};
}

}  // namespace

Status CheckEnhanceOptions(const EnhanceOptions& options) {
  const int turn = options.turn;
  if (turn == 0 || turn == 90 || turn == 180 || turn == 270) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("turn is {}; it must be 0, 90, 180 or 270 degrees clockwise", turn),
               "enhance"};
}

Result<EnhancedImage> EnhancePicture(RgbImage image, const EnhanceOptions& options) {
  const SizePx size = image.size();
  try {
    OCELLI_RETURN_IF_ERROR(CheckEnhanceOptions(options));
    return Enhancer(std::move(image), options).Run();
  } catch (const std::bad_alloc&) {
    return OutOfMemory(size);
  }
}

Result<bool> IsBlankPicture(const RgbImage& image) try {
  return GuardCv("looking for contrast", [&]() -> Result<bool> { return IsBlank(GreyOf(image)); });
} catch (const std::bad_alloc&) {
  return OutOfMemory(image.size());
}

}  // namespace ocelli
