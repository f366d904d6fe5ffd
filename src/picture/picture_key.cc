#include "picture/picture_key.h"

#include <sys/random.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <cstring>
#include <random>

namespace ocelli {
namespace {

using Secret = std::array<unsigned char, XXH3_SECRET_DEFAULT_SIZE>;

Secret MakeSecret() {
  std::array<unsigned char, 64> seed{};
  if (getrandom(seed.data(), seed.size(), 0) != static_cast<ssize_t>(seed.size())) {
    std::random_device device;
    for (unsigned char& byte : seed) byte = static_cast<unsigned char>(device());
  }
  Secret secret{};
  const XXH_errorcode failed = XXH3_generateSecret(secret.data(), secret.size(), seed.data(), seed.size());
  OCELLI_CHECK(failed == XXH_OK, "XXH3_generateSecret: {}", static_cast<int>(failed));
  return secret;
}

}  // namespace

PictureKey MakePictureKey(const RgbImage& image, SizePx used_size, const ProcessorOptions& processor) {
  static const Secret secret = MakeSecret();
  const auto pixels = XXH3_128bits_withSecret(image.pixels.data(), image.pixels.size(), secret.data(), secret.size());
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
  const auto key = XXH3_128bits_withSecret(parts.data(), sizeof(parts), secret.data(), secret.size());
  return PictureKey{key.high64, key.low64};
}

}  // namespace ocelli
