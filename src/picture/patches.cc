#include "picture/patches.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <new>

#include "kernels/targets.h"
#include "picture/resize.h"
#include "picture/size_rule.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "picture/patches.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef OCELLI_PICTURE_PATCHES_CC_ONCE
#define OCELLI_PICTURE_PATCHES_CC_ONCE
namespace ocelli {
namespace {

// Channel c of a pixel becomes (value - mean[c]) / std[c], in float32: rescaling is folded into
// both, as the reference does.
struct Normalisation {
  std::array<float, 3> mean;
  std::array<float, 3> std;
};

struct PatchifyJob {
  const uint8_t* pixels;
  size_t row_bytes;
  size_t patch_size;
  size_t merge_size;
  size_t tokens_per_row;
  Normalisation normalisation;
  MatView<float> pixel_values;
};

}  // namespace
}  // namespace ocelli
#endif  // OCELLI_PICTURE_PATCHES_CC_ONCE

HWY_BEFORE_NAMESPACE();
namespace ocelli {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Words = hn::Rebind<int32_t, Floats>;
using Bytes = hn::Rebind<uint8_t, Floats>;

HWY_INLINE void StoreNormalised(hn::Vec<Bytes> values, float mean, float std, float* out) {
  const auto wide = hn::ConvertTo(Floats(), hn::PromoteTo(Words(), values));
  hn::StoreU(hn::Div(hn::Sub(wide, hn::Set(Floats(), mean)), hn::Set(Floats(), std)), Floats(),
             out);
}

// Writes one line of a patch: `count` pixels to three channels that are `plane` floats apart.
HWY_INLINE void PatchLine(const uint8_t* rgb, size_t count, const Normalisation& n, size_t plane,
                          float* out) {
  const size_t lanes = hn::Lanes(Floats());
  size_t x = 0;
  for (; x + lanes <= count; x += lanes) {
    hn::Vec<Bytes> red, green, blue;
    hn::LoadInterleaved3(Bytes(), rgb + 3 * x, red, green, blue);
    StoreNormalised(red, n.mean[0], n.std[0], out + x);
    StoreNormalised(green, n.mean[1], n.std[1], out + plane + x);
    StoreNormalised(blue, n.mean[2], n.std[2], out + 2 * plane + x);
  }
  for (; x < count; ++x) {
    for (size_t c = 0; c < 3; ++c) {
      out[c * plane + x] = (static_cast<float>(rgb[3 * x + c]) - n.mean[c]) / n.std[c];
    }
  }
}

void OnePatch(const PatchifyJob& job, size_t patch_y, size_t patch_x, float* out) {
  const size_t size = job.patch_size;
  const uint8_t* corner = job.pixels + patch_y * size * job.row_bytes + patch_x * size * 3;
  for (size_t y = 0; y < size; ++y) {
    PatchLine(corner + y * job.row_bytes, size, job.normalisation, size * size, out + y * size);
  }
}

// Cuts the image tokens of token rows [begin, end).
void TokenRows(const PatchifyJob& job, size_t begin, size_t end) {
  const size_t merge = job.merge_size;
  size_t row = begin * job.tokens_per_row * merge * merge;
  for (size_t token_y = begin; token_y < end; ++token_y) {
    for (size_t token_x = 0; token_x < job.tokens_per_row; ++token_x) {
      for (size_t patch = 0; patch < merge * merge; ++patch, ++row) {
        OnePatch(job, token_y * merge + patch / merge, token_x * merge + patch % merge,
                 job.pixel_values.Row(row));
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ocelli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ocelli {
namespace {

HWY_EXPORT(TokenRows);

Normalisation FoldRescaling(const ProcessorOptions& processor) {
  const auto scale = static_cast<float>(1.0 / processor.rescale_factor);
  Normalisation n{};
  for (size_t c = 0; c < 3; ++c) {
    n.mean[c] = static_cast<float>(processor.image_mean[c]) * scale;
    n.std[c] = static_cast<float>(processor.image_std[c]) * scale;
  }
  return n;
}

}  // namespace

void Patchify(const RgbImage& image, const ProcessorOptions& processor, MatView<float> pixel_values,
              ThreadPool& pool) {
  const auto patch = static_cast<size_t>(processor.patch_size);
  const auto merge = static_cast<size_t>(processor.merge_size);
  const size_t grid_w = static_cast<size_t>(image.width_px) / patch;
  const size_t grid_h = static_cast<size_t>(image.height_px) / patch;
  OCELLI_CHECK(
      image.width_px % processor.factor() == 0 && image.height_px % processor.factor() == 0 &&
          pixel_values.rows() == grid_w * grid_h && pixel_values.cols() == 3 * patch * patch,
      "patchify {}x{} to [{}, {}]", image.width_px, image.height_px, pixel_values.rows(),
      pixel_values.cols());
  const PatchifyJob job{image.pixels.data(), image.row_bytes(),        patch,       merge,
                        grid_w / merge,      FoldRescaling(processor), pixel_values};
  pool.ForRanges(grid_h / merge, 1, [&](size_t begin, size_t end, int) {
    OCELLI_DISPATCH(TokenRows)(job, begin, end);
  });
}

Result<Patches> PreparePicture(const RgbImage& image, const ProcessorOptions& processor,
                               const PictureOptions& options, ThreadPool& pool) try {
  OCELLI_ASSIGN_OR_RETURN(const SizePx used_size, ChooseSize(image.size(), processor, options));
  const auto patch = static_cast<size_t>(processor.patch_size);
  Patches patches;
  patches.grid_h = static_cast<size_t>(used_size.height_px) / patch;
  patches.grid_w = static_cast<size_t>(used_size.width_px) / patch;
  patches.pixel_values = Mat<float>(patches.grid_h * patches.grid_w, 3 * patch * patch);
  patches.original_size = image.size();
  patches.used_size = used_size;
  patches.image_tokens = NumImageTokens(used_size, processor);
  patches.key = MakePictureKey(image, used_size, processor);
  Patchify(ResizeBicubic(image, used_size, pool), processor, patches.pixel_values.view(), pool);
  return patches;
} catch (const std::bad_alloc&) {
  return Error{
      ErrorCode::kResourceExhausted,
      fmt::format("there is not enough memory to resize a picture of {}x{} pixels; try again later",
                  image.width_px, image.height_px),
      ""};
}

Result<Patches> PrepareEnhancedPicture(const EnhancedImage& enhanced,
                                       const ProcessorOptions& processor,
                                       const PictureOptions& options, ThreadPool& pool) {
  OCELLI_ASSIGN_OR_RETURN(Patches patches,
                          PreparePicture(enhanced.image, processor, options, pool));
  patches.original_size = enhanced.facts.original_size;
  patches.enhanced = std::make_shared<const EnhanceFacts>(enhanced.facts);
  return patches;
}

}  // namespace ocelli
#endif  // HWY_ONCE
