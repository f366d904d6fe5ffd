#ifndef OCELLI_PICTURE_RESIZE_H_
#define OCELLI_PICTURE_RESIZE_H_

#include "parallel/thread_pool.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Resizes with the antialiased bicubic filter (a = -0.5, support widened when shrinking), 8-bit,
// rounded and clipped between the two passes: the same bytes as Pillow 13 on every CPU and thread
// count. The horizontal pass is first unless the height loses more than twice as many pixels as the
// width; a pass that would not change its axis is left out.
// **Units**: `size` at least 1x1, at most what the size rule gives; `image` not empty.
// **Threads**: uses `pool`. **Ref**: PIL.Image.resize(size, BICUBIC), Pillow 13.
RgbImage ResizeBicubic(const RgbImage& image, SizePx size, ThreadPool& pool);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_RESIZE_H_
