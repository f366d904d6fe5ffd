#include "picture/picture_key.h"

#include <sys/random.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cstdint>

#include "base/check.h"

namespace ocelli {
namespace {

// Longer than XXH3_SECRET_SIZE_MIN, and as random as the kernel can make it.
using Secret = std::array<unsigned char, 192>;

Secret MakeSecret() {
  Secret secret{};
  const ssize_t got = getrandom(secret.data(), secret.size(), 0);
  OCELLI_CHECK(got == static_cast<ssize_t>(secret.size()), "getrandom gave {} bytes", got);
  return secret;
}

}  // namespace

PictureKey MakePictureKey(const RgbImage& image, SizePx used_size,
                          const ProcessorOptions& processor) {
  static const Secret secret = MakeSecret();
  const auto pixels = XXH3_128bits_withSecret(image.pixels.data(), image.pixels.size(),
                                              secret.data(), secret.size());
  const std::array<uint64_t, 15> parts = {
      pixels.high64,
      pixels.low64,
      static_cast<uint64_t>(image.width_px),
      static_cast<uint64_t>(image.height_px),
      static_cast<uint64_t>(used_size.width_px),
      static_cast<uint64_t>(used_size.height_px),
      static_cast<uint64_t>(processor.patch_size),
      static_cast<uint64_t>(processor.merge_size),
      std::bit_cast<uint64_t>(processor.rescale_factor),
      std::bit_cast<uint64_t>(processor.image_mean[0]),
      std::bit_cast<uint64_t>(processor.image_mean[1]),
      std::bit_cast<uint64_t>(processor.image_mean[2]),
      std::bit_cast<uint64_t>(processor.image_std[0]),
      std::bit_cast<uint64_t>(processor.image_std[1]),
      std::bit_cast<uint64_t>(processor.image_std[2]),
  };
  const auto key =
      XXH3_128bits_withSecret(parts.data(), sizeof(parts), secret.data(), secret.size());
  return PictureKey{key.high64, key.low64};
}

}  // namespace ocelli
