#ifndef OCELLI_PICTURE_PICTURE_KEY_H_
#define OCELLI_PICTURE_PICTURE_KEY_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "picture/processor_options.h"
#include "picture/rgb_image.h"

namespace ocelli {

// Names the model's input that comes from one picture: equal pixels used at an equal size in an
// equal way have equal keys. 128 bits of XXH3 with a secret drawn at random once per process, so
// that nobody can prepare two pictures with one key; keys mean nothing to another process.
struct PictureKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool operator==(const PictureKey&) const = default;
};

// Hashes the decoded pixels of `image`, its size, the size it is used at and what else decides its
// pixel_values. Needs no resized picture, so a cache can be asked first. **Threads**: any.
PictureKey MakePictureKey(const RgbImage& image, SizePx used_size,
                          const ProcessorOptions& processor);

}  // namespace ocelli

template <>
struct std::hash<ocelli::PictureKey> {
  size_t operator()(const ocelli::PictureKey& key) const noexcept {
    return static_cast<size_t>(key.low);
  }
};

#endif  // OCELLI_PICTURE_PICTURE_KEY_H_
