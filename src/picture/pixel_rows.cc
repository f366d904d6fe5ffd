#include "picture/pixel_rows.h"

#include <cstring>

#include "base/check.h"

namespace ocelli {
namespace {

uint8_t Light(uint8_t ink, uint8_t key) {
  return static_cast<uint8_t>(((255 - ink) * (255 - key) + 127) / 255);
}

void GreyRow(const uint8_t* samples, size_t width, uint8_t* rgb) {
  for (size_t x = 0; x < width; ++x) std::memset(rgb + 3 * x, samples[x], 3);
}

void GreyAlphaRow(const uint8_t* samples, size_t width, uint8_t* rgb) {
  for (size_t x = 0; x < width; ++x) {
    std::memset(rgb + 3 * x, OnWhite(samples[2 * x], samples[2 * x + 1]), 3);
  }
}

void RgbAlphaRow(const uint8_t* samples, size_t width, uint8_t* rgb) {
  for (size_t x = 0; x < width; ++x, samples += 4, rgb += 3) {
    for (size_t c = 0; c < 3; ++c) rgb[c] = OnWhite(samples[c], samples[3]);
  }
}

void CmykRow(const uint8_t* samples, size_t width, uint8_t* rgb) {
  for (size_t x = 0; x < width; ++x, samples += 4, rgb += 3) {
    for (size_t c = 0; c < 3; ++c) rgb[c] = Light(samples[c], samples[3]);
  }
}

void CmykAlphaRow(const uint8_t* samples, size_t width, uint8_t* rgb) {
  for (size_t x = 0; x < width; ++x, samples += 5, rgb += 3) {
    for (size_t c = 0; c < 3; ++c) rgb[c] = OnWhite(Light(samples[c], samples[3]), samples[4]);
  }
}

}  // namespace

size_t SamplesPerPixel(SampleLayout layout) {
  switch (layout) {
    case SampleLayout::kGrey:
      return 1;
    case SampleLayout::kGreyAlpha:
      return 2;
    case SampleLayout::kRgb:
      return 3;
    case SampleLayout::kRgbAlpha:
    case SampleLayout::kCmyk:
      return 4;
    case SampleLayout::kCmykAlpha:
      return 5;
  }
  OCELLI_CHECK(false, "unknown SampleLayout {}", static_cast<int>(layout));
}

void ToRgbRow(const uint8_t* samples, size_t width, SampleLayout layout, uint8_t* rgb) {
  switch (layout) {
    case SampleLayout::kGrey:
      return GreyRow(samples, width, rgb);
    case SampleLayout::kGreyAlpha:
      return GreyAlphaRow(samples, width, rgb);
    case SampleLayout::kRgb:
      std::memcpy(rgb, samples, 3 * width);
      return;
    case SampleLayout::kRgbAlpha:
      return RgbAlphaRow(samples, width, rgb);
    case SampleLayout::kCmyk:
      return CmykRow(samples, width, rgb);
    case SampleLayout::kCmykAlpha:
      return CmykAlphaRow(samples, width, rgb);
  }
}

}  // namespace ocelli
