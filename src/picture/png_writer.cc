#include "picture/png_writer.h"

#include <fmt/format.h>
#include <vips/vips.h>

#include <memory>

#include "picture/vips_reader.h"

namespace ocelli {
namespace {

struct Unref {
  void operator()(VipsImage* image) const { g_object_unref(image); }
};
struct Free {
  void operator()(void* memory) const { g_free(memory); }
};

Error Failed(const RgbImage& image) {
  vips_error_clear();
  return Error{ErrorCode::kResourceExhausted,
               fmt::format("a picture of {}x{} pixels cannot be written as PNG; free some memory",
                           image.width_px, image.height_px),
               ""};
}

}  // namespace

Result<std::string> EncodePng(const RgbImage& image) {
  OCELLI_RETURN_IF_ERROR(StartVips());
  const std::unique_ptr<VipsImage, Unref> pixels(
      vips_image_new_from_memory(image.pixels.data(), image.pixels.size(), image.width_px,
                                 image.height_px, 3, VIPS_FORMAT_UCHAR));
  if (pixels == nullptr) return Failed(image);
  void* file = nullptr;
  size_t file_bytes = 0;
  if (vips_pngsave_buffer(pixels.get(), &file, &file_bytes, nullptr) != 0) return Failed(image);
  const std::unique_ptr<void, Free> owner(file);
  return std::string(static_cast<const char*>(file), file_bytes);
}

}  // namespace ocelli
