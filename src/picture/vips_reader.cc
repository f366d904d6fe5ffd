#include "picture/vips_reader.h"

#include <vips/vips.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "picture/orientation.h"
#include "picture/pixel_rows.h"

namespace ocelli {
namespace {

struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
using ImagePtr = std::unique_ptr<VipsImage, Unref>;
using RegionPtr = std::unique_ptr<VipsRegion, Unref>;

// Pixels are pulled through in strips of this size, so that memory stays flat: small enough for the
// second-level cache, and enough rows to fill cache lines of a picture that is turned.
constexpr size_t kStripBytes = 256 << 10;
constexpr int kMinStripRows = 32;

// A progressive JPEG may repeat its whole picture in every scan; encoders write ten or so.
constexpr int kMaxJpegScans = 100;

// The PNG library unpacks every compressed text chunk, up to 8 MB each from 8 kB of file, before we
// hear of the picture; cameras and editors write a handful.
constexpr int kMaxPngTexts = 100;

void DropLog(const gchar*, GLogLevelFlags, const gchar*, gpointer) {}

bool InitVips() {
  // Warnings quote the file; what matters comes back as an error.
  g_log_set_handler("VIPS", static_cast<GLogLevelFlags>(G_LOG_LEVEL_MASK), DropLog, nullptr);
  if (vips_init("ocelli") != 0) return false;
  vips_block_untrusted_set(TRUE);
  vips_concurrency_set(1);  // callers decode many pictures at once instead
  vips_cache_set_max(0);    // two requests never share an image, and memory stays flat
  vips_cache_set_max_mem(0);
  vips_cache_set_max_files(0);
  return true;
}

// Frees what libvips keeps for a thread when that thread ends.
struct ThreadVisit {
  ~ThreadVisit() { vips_thread_shutdown(); }
};

// libvips keeps one error text for all threads, so it is cleared and never shown: it may speak of
// somebody else's picture.
Error Damaged(PictureKind kind) {
  vips_error_clear();
  return Error{
      ErrorCode::kCorruptData,
      fmt::format("the {} data is damaged or cut off; send the whole file", PictureKindName(kind)),
      ""};
}

using Loader = int (*)(void* data, size_t size, VipsImage** out, ...);

Loader LoaderFor(PictureKind kind) {
  switch (kind) {
    case PictureKind::kJpeg:
      return vips_jpegload_buffer;
    case PictureKind::kPng:
      return vips_pngload_buffer;
    case PictureKind::kWebp:
      return vips_webpload_buffer;
    case PictureKind::kGif:
      return vips_gifload_buffer;
    case PictureKind::kTiff:
      return vips_tiffload_buffer;
    case PictureKind::kHeic:
    case PictureKind::kAvif:
      return vips_heifload_buffer;
    case PictureKind::kBmp:
      break;
  }
  OCELLI_CHECK(false, "{} has no libvips loader", PictureKindName(kind));
}

// Opens the first frame: reads the header, no pixels. `bytes` must outlive the image.
Result<ImagePtr> Open(PictureKind kind, std::span<const std::byte> bytes) {
  OCELLI_RETURN_IF_ERROR(StartVips());
  VipsImage* image = nullptr;
  const int failed =
      LoaderFor(kind)(const_cast<std::byte*>(bytes.data()), bytes.size(), &image, "access",
                      VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, nullptr);
  if (failed != 0) return Damaged(kind);
  return ImagePtr(image);
}

int NumFrames(VipsImage* image) { return std::max(1, vips_image_get_n_pages(image)); }

// Packed Lab has four bytes a pixel and no alpha.
bool HasAlpha(VipsImage* image) {
  return vips_image_get_coding(image) != VIPS_CODING_LABQ && vips_image_hasalpha(image) != FALSE;
}

PictureInfo InfoOf(PictureKind kind, VipsImage* image) {
  const int orientation = vips_image_get_orientation(image);
  const SizePx stored{vips_image_get_width(image), vips_image_get_height(image)};
  return PictureInfo{kind, UprightSize(stored, orientation), orientation, NumFrames(image),
                     HasAlpha(image)};
}

Status CheckJpegScans(std::span<const std::byte> bytes) {
  int scans = 0;
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    scans += bytes[i] == std::byte{0xff} && bytes[i + 1] == std::byte{0xda};
  }
  if (scans <= kMaxJpegScans) return {};
  return Error{
      ErrorCode::kTooLarge,
      fmt::format("the JPEG has {} scans, the limit is {}; save it again as an ordinary JPEG",
                  scans, kMaxJpegScans),
      ""};
}

Status CheckPngTexts(std::span<const std::byte> bytes) {
  constexpr size_t kSignatureBytes = 8;
  constexpr size_t kChunkOverheadBytes = 12;  // length, type and checksum around the body
  int texts = 0;
  for (size_t at = kSignatureBytes; at + kChunkOverheadBytes <= bytes.size();) {
    size_t body_bytes = 0;
    for (int i = 0; i < 4; ++i)
      body_bytes = body_bytes << 8 | std::to_integer<size_t>(bytes[at + static_cast<size_t>(i)]);
    const std::string_view type(reinterpret_cast<const char*>(bytes.data()) + at + 4, 4);
    texts += type == "zTXt" || type == "iTXt";
    at += kChunkOverheadBytes + body_bytes;
  }
  if (texts <= kMaxPngTexts) return {};
  return Error{
      ErrorCode::kTooLarge,
      fmt::format("the PNG has {} chunks of compressed text, the limit is {}; save it again "
                  "without its comments",
                  texts, kMaxPngTexts),
      ""};
}

// Opens a picture and checks everything that its header tells.
Result<ImagePtr> OpenChecked(PictureKind kind, std::span<const std::byte> bytes,
                             const DecodeLimits& limits) {
  if (kind == PictureKind::kJpeg) OCELLI_RETURN_IF_ERROR(CheckJpegScans(bytes));
  if (kind == PictureKind::kPng) OCELLI_RETURN_IF_ERROR(CheckPngTexts(bytes));
  OCELLI_ASSIGN_OR_RETURN(ImagePtr image, Open(kind, bytes));
  OCELLI_RETURN_IF_ERROR(CheckDeclaredSize(vips_image_get_width(image.get()),
                                           vips_image_get_height(image.get()), limits));
  return image;
}

bool IsLab(VipsImage* image) {
  const VipsInterpretation meaning = vips_image_guess_interpretation(image);
  return vips_image_get_coding(image) == VIPS_CODING_LABQ || meaning == VIPS_INTERPRETATION_LAB ||
         meaning == VIPS_INTERPRETATION_LABQ || meaning == VIPS_INTERPRETATION_LABS;
}

bool IsCmyk(VipsImage* image) {
  return vips_image_guess_interpretation(image) == VIPS_INTERPRETATION_CMYK;
}

Result<SampleLayout> LayoutOf(PictureKind kind, VipsImage* image) {
  const int bands = vips_image_get_bands(image);
  if (IsCmyk(image)) {
    if (bands == 4) return SampleLayout::kCmyk;
    if (bands == 5) return SampleLayout::kCmykAlpha;
  } else if (bands >= 1 && bands <= 4) {
    constexpr std::array kLayouts = {SampleLayout::kGrey, SampleLayout::kGreyAlpha,
                                     SampleLayout::kRgb, SampleLayout::kRgbAlpha};
    return kLayouts[static_cast<size_t>(bands - 1)];
  }
  return Error{
      ErrorCode::kUnsupported,
      fmt::format("the {} has {} channels; send it as grey, RGB or CMYK, with or without alpha",
                  PictureKindName(kind), bands),
      ""};
}

// Returns `image` in sRGB by its embedded profile, or null when that profile cannot be used.
ImagePtr ThroughProfile(VipsImage* image) {
  VipsImage* out = nullptr;
  const int failed = vips_icc_transform(image, &out, "srgb", "embedded", TRUE, "intent",
                                        VIPS_INTENT_PERCEPTUAL, "depth", 8, nullptr);
  if (failed == 0) return ImagePtr(out);
  vips_error_clear();
  return nullptr;
}

// A cube of colours that samples what a profile does.
std::vector<uint8_t> ColourCube() {
  constexpr std::array<uint8_t, 9> kSteps = {0, 16, 32, 64, 96, 128, 160, 208, 255};
  std::vector<uint8_t> cube;
  for (uint8_t r : kSteps) {
    for (uint8_t g : kSteps) {
      for (uint8_t b : kSteps) cube.insert(cube.end(), {r, g, b});
    }
  }
  return cube;
}

// Whether the profile of an RGB picture moves no colour by more than one level. Most profiles met
// in practice are sRGB by another name, and converting costs more than decoding.
bool ProfileIsSrgb(VipsImage* image) {
  static const std::vector<uint8_t> cube = ColourCube();
  const void* profile = nullptr;
  size_t profile_bytes = 0;
  if (vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, &profile_bytes) != 0) return false;
  const ImagePtr plain(vips_image_new_from_memory(
      cube.data(), cube.size(), static_cast<int>(cube.size() / 3), 1, 3, VIPS_FORMAT_UCHAR));
  VipsImage* tagged_image = nullptr;
  if (vips_copy(plain.get(), &tagged_image, "interpretation", VIPS_INTERPRETATION_sRGB, nullptr) !=
      0)
    return false;
  const ImagePtr tagged(tagged_image);
  vips_image_set_blob_copy(tagged.get(), VIPS_META_ICC_NAME, profile, profile_bytes);
  const ImagePtr shown = ThroughProfile(tagged.get());
  if (shown == nullptr) return false;
  const RegionPtr region(vips_region_new(shown.get()));
  const VipsRect all = {0, 0, vips_image_get_width(shown.get()), 1};
  if (vips_image_get_bands(shown.get()) != 3 || vips_region_prepare(region.get(), &all) != 0)
    return false;
  const VipsPel* moved = VIPS_REGION_ADDR(region.get(), 0, 0);
  return std::equal(cube.begin(), cube.end(), moved,
                    [](int a, int b) { return std::abs(a - b) <= 1; });
}

bool HasUsefulProfile(VipsImage* image) {
  if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) == 0) return false;
  const bool is_rgb = !IsCmyk(image) && vips_image_get_bands(image) >= 3;
  return !(is_rgb && ProfileIsSrgb(image));
}

// Lab in files is relative to D50, as in ICC profiles; libvips's own conversion would take D65.
Result<ImagePtr> LabToSrgb(PictureKind kind, VipsImage* image) {
  VipsImage* out = nullptr;
  if (vips_colourspace(image, &out, VIPS_INTERPRETATION_LAB, nullptr) != 0) return Damaged(kind);
  const ImagePtr lab(out);
  if (vips_icc_export(lab.get(), &out, "output_profile", "srgb", "intent", VIPS_INTENT_PERCEPTUAL,
                      "depth", 8, nullptr) != 0) {
    return Damaged(kind);
  }
  return ImagePtr(out);
}

// Keeps the high byte of 16-bit samples.
Result<ImagePtr> HighBytes(PictureKind kind, VipsImage* image) {
  VipsImage* out = nullptr;
  if (vips_msb(image, &out, nullptr) != 0) return Damaged(kind);
  return ImagePtr(out);
}

// Brings any picture to 8-bit samples of grey, sRGB or unprofiled CMYK.
Result<ImagePtr> ToPlainSamples(PictureKind kind, ImagePtr image) {
  if (IsLab(image.get())) return LabToSrgb(kind, image.get());
  const VipsBandFormat format = vips_image_get_format(image.get());
  if (format != VIPS_FORMAT_UCHAR && format != VIPS_FORMAT_USHORT) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format(
            "the {} has samples of kind {}, whose range of brightness is not known; save it "
            "with 8 or 16 bits a channel",
            PictureKindName(kind), vips_enum_nick(VIPS_TYPE_BAND_FORMAT, format)),
        ""};
  }
  if (HasUsefulProfile(image.get())) {
    if (ImagePtr shown = ThroughProfile(image.get())) return shown;
  }
  if (format == VIPS_FORMAT_USHORT) return HighBytes(kind, image.get());
  return image;
}

// Pulls all pixels through the pipeline, top to bottom, on this thread.
Status ReadRows(PictureKind kind, VipsImage* image, SampleLayout layout, int orientation,
                RgbImage& out) {
  const RegionPtr region(vips_region_new(image));
  const SizePx stored{vips_image_get_width(image), vips_image_get_height(image)};
  const auto width = static_cast<size_t>(stored.width_px);
  const int strip_rows =
      std::max(kMinStripRows, static_cast<int>(kStripBytes / (width * SamplesPerPixel(layout))));
  std::vector<uint8_t> strip(static_cast<size_t>(std::min(strip_rows, stored.height_px)) * width *
                             3);
  for (int top = 0; top < stored.height_px; top += strip_rows) {
    const VipsRect area = {0, top, stored.width_px, std::min(strip_rows, stored.height_px - top)};
    if (vips_region_prepare(region.get(), &area) != 0) return Damaged(kind);
    for (int y = 0; y < area.height; ++y) {
      ToRgbRow(VIPS_REGION_ADDR(region.get(), 0, top + y), width, layout,
               strip.data() + static_cast<size_t>(y) * width * 3);
    }
    PlaceUpright(strip.data(), stored, top, area.height, orientation, out);
  }
  return {};
}

}  // namespace

Status StartVips() {
  static const bool ready = InitVips();
  if (!ready) {
    return Error{ErrorCode::kUnavailable,
                 "the picture library libvips cannot start; install libvips42", ""};
  }
  thread_local const ThreadVisit visit;
  static_cast<void>(visit);
  return {};
}

Result<PictureInfo> ProbeWithVips(PictureKind kind, std::span<const std::byte> bytes,
                                  const DecodeLimits& limits) {
  OCELLI_ASSIGN_OR_RETURN(const ImagePtr image, OpenChecked(kind, bytes, limits));
  return InfoOf(kind, image.get());
}

Result<RgbImage> DecodeWithVips(PictureKind kind, std::span<const std::byte> bytes,
                                const DecodeLimits& limits) {
  OCELLI_ASSIGN_OR_RETURN(ImagePtr stored, OpenChecked(kind, bytes, limits));
  const int orientation = vips_image_get_orientation(stored.get());
  OCELLI_ASSIGN_OR_RETURN(const ImagePtr plain, ToPlainSamples(kind, std::move(stored)));
  OCELLI_ASSIGN_OR_RETURN(const SampleLayout layout, LayoutOf(kind, plain.get()));
  const SizePx size = UprightSize(
      {vips_image_get_width(plain.get()), vips_image_get_height(plain.get())}, orientation);
  RgbImage image{size.width_px, size.height_px, {}};
  image.pixels.resize(static_cast<size_t>(image.height_px) * image.row_bytes());
  OCELLI_RETURN_IF_ERROR(ReadRows(kind, plain.get(), layout, orientation, image));
  return image;
}

}  // namespace ocelli
