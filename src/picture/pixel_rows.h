#ifndef OCELLI_PICTURE_PIXEL_ROWS_H_
#define OCELLI_PICTURE_PIXEL_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace ocelli {

// What the 8-bit samples of a decoded row mean.
enum class SampleLayout { kGrey, kGreyAlpha, kRgb, kRgbAlpha, kCmyk, kCmykAlpha };

// Returns how many samples one pixel of `layout` has.
size_t SamplesPerPixel(SampleLayout layout);

// Returns `colour` seen through `alpha` on white, rounded to nearest.
constexpr uint8_t OnWhite(uint8_t colour, uint8_t alpha) {
  return static_cast<uint8_t>((colour * alpha + 255 * (255 - alpha) + 127) / 255);
}

// Turns one row of samples into opaque RGB. Ink amounts become light by (255 - ink)(255 - key) /
// 255.
// **Shapes**: samples [width, SamplesPerPixel(layout)], rgb [width, 3].
void ToRgbRow(const uint8_t* samples, size_t width, SampleLayout layout, uint8_t* rgb);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PIXEL_ROWS_H_
