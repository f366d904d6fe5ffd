#ifndef OCELLI_PICTURE_RGB_IMAGE_H_
#define OCELLI_PICTURE_RGB_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ocelli {

// Width and height of a picture. **Units**: pixels.
struct SizePx {
  int width_px = 0;
  int height_px = 0;

  bool operator==(const SizePx&) const = default;
  uint64_t num_pixels() const {
    return static_cast<uint64_t>(width_px) * static_cast<uint64_t>(height_px);
  }
};

// A decoded picture: 8-bit sRGB, upright, opaque, rows without padding.
struct RgbImage {
  int width_px = 0;
  int height_px = 0;
  std::vector<uint8_t> pixels;  // [height_px, width_px, 3]

  SizePx size() const { return SizePx{width_px, height_px}; }
  size_t row_bytes() const { return static_cast<size_t>(width_px) * 3; }
  uint8_t* Row(int y) { return pixels.data() + static_cast<size_t>(y) * row_bytes(); }
  const uint8_t* Row(int y) const { return pixels.data() + static_cast<size_t>(y) * row_bytes(); }
};

}  // namespace ocelli

#endif  // OCELLI_PICTURE_RGB_IMAGE_H_
