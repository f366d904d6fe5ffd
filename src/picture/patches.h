#ifndef OCELLI_PICTURE_PATCHES_H_
#define OCELLI_PICTURE_PATCHES_H_

#include <cstddef>
#include <memory>

#include "base/error.h"
#include "parallel/thread_pool.h"
#include "picture/enhance.h"
#include "picture/picture_key.h"
#include "picture/processor_options.h"
#include "picture/rgb_image.h"
#include "tensor/mat.h"

namespace ocelli {

// A picture as the vision encoder takes it. Rows are patches in merge-block order: the
// merge_size x merge_size patches of one image token follow each other, row by row inside the token
// and tokens row by row. A row is [channel][y][x] of one patch, normalised. The reference repeats
// each channel for its two temporal steps; a still picture has equal copies, so here there is one,
// and the weights of the two steps are summed once at load.
struct Patches {
  size_t grid_h = 0;        // patches along the height; grid_thw is (1, grid_h, grid_w)
  size_t grid_w = 0;        // patches along the width
  Mat<float> pixel_values;  // [grid_h * grid_w, 3 * patch_size * patch_size]
  SizePx original_size;     // of the decoded picture
  SizePx used_size;         // after the size rule
  size_t image_tokens = 0;  // grid_h * grid_w / merge_size^2
  PictureKey key;
  std::shared_ptr<const EnhanceFacts> enhanced;  // null: not asked for
};

// Cuts a picture into normalised patches, into a buffer that the caller planned.
// **Shapes**: `pixel_values` [grid_h * grid_w, 3 * patch_size^2], where the sides of `image` are
// grid_w and grid_h times patch_size, both multiples of merge_size.
// **Threads**: uses `pool`. **Ref**: Qwen2VLImageProcessorFast._preprocess.
void Patchify(const RgbImage& image, const ProcessorOptions& processor, MatView<float> pixel_values,
              ThreadPool& pool);

// Makes patches of a decoded picture: size rule, resize, normalise, patchify.
// **Errors**: those of CheckProcessorOptions and ChooseSize. **Threads**: uses `pool`.
Result<Patches> PreparePicture(const RgbImage& image, const ProcessorOptions& processor,
                               const PictureOptions& options, ThreadPool& pool);

// The same for an enhanced picture: its key is that of the pixels that are used, its original size
// that of the picture as it came.
Result<Patches> PrepareEnhancedPicture(const EnhancedImage& enhanced,
                                       const ProcessorOptions& processor,
                                       const PictureOptions& options, ThreadPool& pool);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PATCHES_H_
