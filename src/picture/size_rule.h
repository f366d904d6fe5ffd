#ifndef OCELLI_PICTURE_SIZE_RULE_H_
#define OCELLI_PICTURE_SIZE_RULE_H_

#include <cstdint>

#include "base/error.h"
#include "picture/processor_options.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Returns the size a picture is resized to: both sides multiples of `factor`, the area within
// [min_pixels, max_pixels] as far as whole factors allow, the aspect kept as near as they allow.
// Halves round to even.
// **Units**: pixels; `min_pixels` and `max_pixels` count pixels of the result.
// **Errors**: kInvalidArgument, param names the field: a side or `factor` below 1, aspect ratio
// above 200, `min_pixels` 0 or above `max_pixels`. **Ref**: smart_resize in transformers' qwen2_vl.
Result<SizePx> SmartResize(int width_px, int height_px, int factor, uint64_t min_pixels,
                           uint64_t max_pixels);

// Returns the size that a picture of `original` size is used at. Without options this is
// SmartResize with the checkpoint's values. Otherwise, in this order:
//  1. The area: options.min_pixels replaces the checkpoint's, options.max_pixels and
//     max_image_tokens lower it (never raise it). A checkpoint's min_pixels gives way to a smaller
//     maximum asked for; one that the user asked for does not (an error).
//  2. The sides: the picture is scaled so that its longer side is at most max_side, then so that
//  its
//     shorter side is at least min_side. max_side is taken down and min_side up to a multiple of
//     processor.factor(), so that the later rounding cannot break them.
//  3. SmartResize's rounding to the area of step 1; if that enlarged the picture above max_side,
//     min_pixels gives way.
// So when one picture cannot satisfy all of them: max_image_tokens and max_pixels before min_side
// (small text must stay readable), min_side before max_side, max_side before min_pixels.
// max_image_tokens holds always, also for strips so thin that SmartResize exceeds max_pixels.
// **Errors**: kInvalidArgument, param names the field, for values that no picture could satisfy
// (negative, below one token, min above max, ...) and for an aspect ratio above 200.
Result<SizePx> ChooseSize(SizePx original, const ProcessorOptions& processor,
                          const PictureOptions& options);

// Returns how many tokens a picture of this size (from ChooseSize) costs the decoder.
uint64_t NumImageTokens(SizePx used_size, const ProcessorOptions& processor);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_SIZE_RULE_H_
