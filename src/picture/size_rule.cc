#include "picture/size_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ocelli {
namespace {

// Also transformers' limit; DecodeLimits has the same default.
constexpr double kMaxAspectRatio = 200;

// Bounds on what may be asked for, far above any use, so that no later arithmetic overflows.
constexpr int kMaxSidePx = 65'536;
constexpr uint64_t kMaxBudgetPixels = uint64_t{1} << 32;

Error Impossible(std::string_view field, std::string_view problem) {
  return Error{ErrorCode::kInvalidArgument, fmt::format("{} {}", field, problem),
               std::string(field)};
}

// The area and what its sides are multiples of.
struct Budget {
  int factor;
  uint64_t min_pixels;
  uint64_t max_pixels;
};

uint64_t Area(double width, double height) { return static_cast<uint64_t>(width * height); }

// std::nearbyint rounds halves to even, as Python's round() does.
double RoundToFactor(double side, double factor) { return std::nearbyint(side / factor) * factor; }

// SmartResize without its checks. Doubles, in the reference's order of operations: sides beyond
// 2^53 cannot occur and every comparison then falls as the reference's does.
SizePx FitBudget(int width_px, int height_px, const Budget& budget) {
  const double factor = budget.factor;
  const double width = width_px;
  const double height = height_px;
  double new_width = RoundToFactor(width, factor);
  double new_height = RoundToFactor(height, factor);
  if (Area(new_width, new_height) > budget.max_pixels) {
    const double beta = std::sqrt((height * width) / static_cast<double>(budget.max_pixels));
    new_width = std::floor(width / beta / factor) * factor;
    new_height = std::floor(height / beta / factor) * factor;
  } else if (Area(new_width, new_height) < budget.min_pixels) {
    const double beta = std::sqrt(static_cast<double>(budget.min_pixels) / (height * width));
    new_width = std::ceil(width * beta / factor) * factor;
    new_height = std::ceil(height * beta / factor) * factor;
  }
  return SizePx{std::max(budget.factor, static_cast<int>(new_width)),
                std::max(budget.factor, static_cast<int>(new_height))};
}

Status CheckPicture(int width_px, int height_px) {
  if (width_px < 1)
    return Impossible("width", fmt::format("is {}, it must be at least 1", width_px));
  if (height_px < 1)
    return Impossible("height", fmt::format("is {}, it must be at least 1", height_px));
  const double aspect =
      static_cast<double>(std::max(width_px, height_px)) / std::min(width_px, height_px);
  if (aspect <= kMaxAspectRatio) return {};
  return Impossible(
      "aspect_ratio",
      fmt::format("of a picture of {}x{} pixels is {:.1f}:1, the limit is {}:1; cut it "
                  "into parts",
                  width_px, height_px, aspect, kMaxAspectRatio));
}

Status CheckBudget(const Budget& budget) {
  if (budget.factor < 1 || budget.factor > kMaxSidePx) {
    return Impossible("factor",
                      fmt::format("is {}, it must be between 1 and {}", budget.factor, kMaxSidePx));
  }
  if (budget.min_pixels < 1) return Impossible("min_pixels", "is 0, it must be at least 1");
  if (budget.min_pixels > budget.max_pixels) {
    return Impossible("min_pixels", fmt::format("is {}, above max_pixels, which is {}",
                                                budget.min_pixels, budget.max_pixels));
  }
  if (budget.max_pixels > kMaxBudgetPixels) {
    return Impossible("max_pixels", fmt::format("is {}, it must be at most {}", budget.max_pixels,
                                                kMaxBudgetPixels));
  }
  return {};
}

uint64_t TokenPixels(const ProcessorOptions& processor) {
  return static_cast<uint64_t>(processor.factor()) * static_cast<uint64_t>(processor.factor());
}

Status CheckAreaOptions(const ProcessorOptions& processor, const PictureOptions& options) {
  if (options.min_pixels > processor.max_pixels) {
    return Impossible("min_pixels", fmt::format("is {}, the model takes at most {}",
                                                options.min_pixels, processor.max_pixels));
  }
  if (options.max_pixels == 0 || options.max_pixels >= TokenPixels(processor)) return {};
  return Impossible("max_pixels", fmt::format("is {}, it must be at least {}, one image token",
                                              options.max_pixels, TokenPixels(processor)));
}

// Step 1 of ChooseSize.
Result<Budget> ChooseBudget(const ProcessorOptions& processor, const PictureOptions& options) {
  OCELLI_RETURN_IF_ERROR(CheckAreaOptions(processor, options));
  const uint64_t token_pixels = TokenPixels(processor);
  Budget budget{processor.factor(), processor.min_pixels, processor.max_pixels};
  if (options.max_pixels != 0) budget.max_pixels = std::min(options.max_pixels, budget.max_pixels);
  if (options.max_image_tokens != 0 &&
      options.max_image_tokens < budget.max_pixels / token_pixels) {
    budget.max_pixels = options.max_image_tokens * token_pixels;
  }
  budget.min_pixels =
      options.min_pixels != 0 ? options.min_pixels : std::min(budget.min_pixels, budget.max_pixels);
  OCELLI_RETURN_IF_ERROR(CheckBudget(budget));
  return budget;
}

// Limits on the sides as multiples of the factor; 0 where there is none.
struct SideLimits {
  int64_t max_side;
  int64_t min_side;
};

Status CheckSide(std::string_view field, int side, int smallest) {
  if (side == 0 || (side >= smallest && side <= kMaxSidePx)) return {};
  return Impossible(
      field, fmt::format("is {}, it must be 0 or between {} and {}", side, smallest, kMaxSidePx));
}

Result<SideLimits> ChooseSideLimits(const PictureOptions& options, int factor) {
  OCELLI_RETURN_IF_ERROR(CheckSide("max_side", options.max_side, factor));
  OCELLI_RETURN_IF_ERROR(CheckSide("min_side", options.min_side, 1));
  const SideLimits limits{options.max_side / factor * factor,
                          (int64_t{options.min_side} + factor - 1) / factor * factor};
  if (limits.max_side != 0 && limits.min_side > limits.max_side) {
    return Impossible(
        "min_side",
        fmt::format("is {} and max_side is {}, which leaves no multiple of {} between them",
                    options.min_side, options.max_side, factor));
  }
  return limits;
}

int ScaleSide(int side, int64_t numerator, int64_t denominator) {
  const double scaled =
      static_cast<double>(side) * static_cast<double>(numerator) / static_cast<double>(denominator);
  return std::max(1, static_cast<int>(std::nearbyint(scaled)));
}

SizePx ScaleBy(SizePx size, int64_t numerator, int64_t denominator) {
  return SizePx{ScaleSide(size.width_px, numerator, denominator),
                ScaleSide(size.height_px, numerator, denominator)};
}

// Step 2 of ChooseSize.
SizePx FitSides(SizePx original, const SideLimits& limits) {
  const int longer = std::max(original.width_px, original.height_px);
  const int shorter = std::min(original.width_px, original.height_px);
  const bool shrink = limits.max_side != 0 && longer > limits.max_side;
  // Compared as fractions of the original, so that rounding happens once.
  const int64_t numerator = shrink ? limits.max_side : longer;
  if (limits.min_side * longer > numerator * shorter)
    return ScaleBy(original, limits.min_side, shorter);
  return shrink ? ScaleBy(original, limits.max_side, longer) : original;
}

// For strips whose shorter side cannot go below one factor: the longer one pays.
SizePx CapTokens(SizePx size, int factor, uint64_t max_image_tokens) {
  const uint64_t short_tokens =
      static_cast<uint64_t>(std::min(size.width_px, size.height_px) / factor);
  const uint64_t long_tokens =
      static_cast<uint64_t>(std::max(size.width_px, size.height_px) / factor);
  if (max_image_tokens == 0 || short_tokens * long_tokens <= max_image_tokens) return size;
  int& longer = size.width_px > size.height_px ? size.width_px : size.height_px;
  longer = static_cast<int>(std::max<uint64_t>(1, max_image_tokens / short_tokens)) * factor;
  return size;
}

}  // namespace

Result<SizePx> SmartResize(int width_px, int height_px, int factor, uint64_t min_pixels,
                           uint64_t max_pixels) {
  const Budget budget{factor, min_pixels, max_pixels};
  OCELLI_RETURN_IF_ERROR(CheckPicture(width_px, height_px));
  OCELLI_RETURN_IF_ERROR(CheckBudget(budget));
  return FitBudget(width_px, height_px, budget);
}

Result<SizePx> ChooseSize(SizePx original, const ProcessorOptions& processor,
                          const PictureOptions& options) {
  OCELLI_RETURN_IF_ERROR(CheckProcessorOptions(processor));
  OCELLI_RETURN_IF_ERROR(CheckPicture(original.width_px, original.height_px));
  OCELLI_ASSIGN_OR_RETURN(Budget budget, ChooseBudget(processor, options));
  OCELLI_ASSIGN_OR_RETURN(const SideLimits limits, ChooseSideLimits(options, budget.factor));
  const SizePx wanted = FitSides(original, limits);
  SizePx size = FitBudget(wanted.width_px, wanted.height_px, budget);
  if (limits.max_side != 0 && std::max(size.width_px, size.height_px) > limits.max_side) {
    budget.min_pixels = 0;
    size = FitBudget(wanted.width_px, wanted.height_px, budget);
  }
  return CapTokens(size, budget.factor, options.max_image_tokens);
}

uint64_t NumImageTokens(SizePx used_size, const ProcessorOptions& processor) {
  return used_size.num_pixels() / TokenPixels(processor);
}

}  // namespace ocelli
