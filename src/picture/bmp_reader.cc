#include "picture/bmp_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "picture/pixel_rows.h"

namespace ocelli {
namespace {

using Bytes = std::span<const std::byte>;
using Colour = std::array<uint8_t, 3>;

constexpr size_t kFileHeaderBytes = 14;
constexpr size_t kCoreHeaderBytes = 12;
constexpr size_t kInfoHeaderBytes = 40;

// The values of biCompression that are read.
enum Compression : uint32_t { kRgb = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaBitFields = 6 };

struct Header {
  SizePx size;
  bool top_down = false;
  uint32_t bits_per_pixel = 0;
  uint32_t compression = kRgb;
  size_t pixel_offset = 0;
  std::array<uint32_t, 4> masks{};  // red, green, blue, alpha
  std::vector<Colour> palette;

  bool has_palette() const { return bits_per_pixel <= 8; }
  bool has_alpha() const { return masks[3] != 0; }
};

Error Damaged(std::string_view what) {
  return Error{ErrorCode::kCorruptData,
               fmt::format("the BMP data is damaged or cut off: {}; send the whole file", what),
               ""};
}

Error NotRead(std::string_view what) {
  return Error{ErrorCode::kUnsupported,
               fmt::format("the BMP {}, which is not read; save it again as PNG", what), ""};
}

// Little-endian numbers; positions past the end read as 0, so callers check sizes first.
uint32_t U8(Bytes bytes, size_t at) {
  return at < bytes.size() ? std::to_integer<uint32_t>(bytes[at]) : 0;
}
uint32_t U16(Bytes bytes, size_t at) { return U8(bytes, at) | U8(bytes, at + 1) << 8; }
uint32_t U32(Bytes bytes, size_t at) { return U16(bytes, at) | U16(bytes, at + 2) << 16; }
int64_t I32(Bytes bytes, size_t at) { return static_cast<int32_t>(U32(bytes, at)); }

bool IsKnownHeaderSize(size_t header_bytes) {
  constexpr std::array<size_t, 7> kSizes = {
      kCoreHeaderBytes, kInfoHeaderBytes, 52, 56, 64, 108, 124};
  return std::find(kSizes.begin(), kSizes.end(), header_bytes) != kSizes.end();
}

bool FitsCompression(uint32_t bits, uint32_t compression) {
  switch (compression) {
    case kRgb:
      return bits == 1 || bits == 4 || bits == 8 || bits == 16 || bits == 24 || bits == 32;
    case kRle8:
      return bits == 8;
    case kRle4:
      return bits == 4;
    case kBitFields:
    case kAlphaBitFields:
      return bits == 16 || bits == 32;
    default:
      return false;
  }
}

// A mask is a run of one bits.
bool IsMask(uint32_t mask) {
  return mask == 0 || std::has_single_bit((mask >> std::countr_zero(mask)) + uint64_t{1});
}

std::array<uint32_t, 4> DefaultMasks(uint32_t bits) {
  if (bits == 16) return {0x7c00, 0x3e0, 0x1f, 0};
  return {0xff0000, 0xff00, 0xff, 0};
}

// Bytes of masks that follow a 40-byte header; longer headers hold them inside, at the same place.
size_t TrailingMaskBytes(size_t header_bytes, uint32_t compression) {
  if (header_bytes != kInfoHeaderBytes) return 0;
  return compression == kBitFields ? 12 : compression == kAlphaBitFields ? 16 : 0;
}

Status ReadMasks(Bytes bytes, size_t header_bytes, Header& header) {
  header.masks = DefaultMasks(header.bits_per_pixel);
  if (header.compression != kBitFields && header.compression != kAlphaBitFields) return {};
  const size_t at = kFileHeaderBytes + kInfoHeaderBytes;
  for (size_t c = 0; c < 3; ++c) header.masks[c] = U32(bytes, at + 4 * c);
  const bool stores_alpha = header_bytes >= 56 || header.compression == kAlphaBitFields;
  header.masks[3] = stores_alpha ? U32(bytes, at + 12) : 0;
  if (!std::all_of(header.masks.begin(), header.masks.end(), IsMask))
    return Damaged("its colour masks have holes");
  return {};
}

void ReadPalette(Bytes bytes, size_t at, size_t entry_bytes, size_t count, Header& header) {
  header.palette.assign(size_t{1} << header.bits_per_pixel, Colour{});
  for (size_t i = 0; i < std::min(count, header.palette.size()); ++i, at += entry_bytes) {
    for (size_t c = 0; c < 3; ++c)
      header.palette[i][c] = static_cast<uint8_t>(U8(bytes, at + 2 - c));
  }
}

Status ReadShape(Bytes bytes, size_t header_bytes, const DecodeLimits& limits, Header& header) {
  const bool core = header_bytes == kCoreHeaderBytes;
  const int64_t width = core ? U16(bytes, 18) : I32(bytes, 18);
  const int64_t height = core ? U16(bytes, 20) : I32(bytes, 22);
  OCELLI_RETURN_IF_ERROR(CheckDeclaredSize(width, std::abs(height), limits));
  header.size = SizePx{static_cast<int>(width), static_cast<int>(std::abs(height))};
  header.top_down = height < 0;
  header.bits_per_pixel = U16(bytes, core ? 24 : 28);
  header.compression = core ? kRgb : U32(bytes, 30);
  if (FitsCompression(header.bits_per_pixel, header.compression)) return {};
  return NotRead(fmt::format("has {} bits a pixel in compression {}", header.bits_per_pixel,
                             header.compression));
}

Result<Header> ReadHeader(Bytes bytes, const DecodeLimits& limits) {
  const size_t header_bytes = U32(bytes, kFileHeaderBytes);
  if (bytes.size() < kFileHeaderBytes + kCoreHeaderBytes) return Damaged("it has no header");
  if (!IsKnownHeaderSize(header_bytes))
    return Damaged(fmt::format("its header claims {} bytes", header_bytes));
  if (bytes.size() < kFileHeaderBytes + header_bytes) return Damaged("its header is cut off");
  Header header;
  OCELLI_RETURN_IF_ERROR(ReadShape(bytes, header_bytes, limits, header));
  OCELLI_RETURN_IF_ERROR(ReadMasks(bytes, header_bytes, header));
  const size_t palette_at =
      kFileHeaderBytes + header_bytes + TrailingMaskBytes(header_bytes, header.compression);
  header.pixel_offset = U32(bytes, 10);
  if (header.pixel_offset < palette_at || header.pixel_offset > bytes.size())
    return Damaged("its pixels start nowhere");
  if (header.has_palette()) {
    const size_t entry_bytes = header_bytes == kCoreHeaderBytes ? 3 : 4;
    ReadPalette(bytes, palette_at, entry_bytes, (header.pixel_offset - palette_at) / entry_bytes,
                header);
  }
  return header;
}

// Scales the bits that `mask` selects to 0..255, rounded to nearest.
uint8_t Masked(uint32_t pixel, uint32_t mask) {
  if (mask == 0) return 0;
  const int shift = std::countr_zero(mask);
  const uint64_t top = mask >> shift;
  const uint64_t value = (pixel & mask) >> shift;
  return static_cast<uint8_t>((value * 255 + top / 2) / top);
}

class Decoder {
 public:
  Decoder(Bytes pixels, const Header& header) : pixels_(pixels), header_(header) {}

  Result<RgbImage> Decode() {
    const size_t width = static_cast<size_t>(header_.size.width_px);
    const bool run_length = header_.compression == kRle8 || header_.compression == kRle4;
    const size_t stride = (width * header_.bits_per_pixel + 31) / 32 * 4;
    const size_t needed = stride * static_cast<size_t>(header_.size.height_px - 1) +
                          (width * header_.bits_per_pixel + 7) / 8;
    if (!run_length && pixels_.size() < needed) return Damaged("rows are missing");
    image_ = RgbImage{header_.size.width_px, header_.size.height_px, {}};
    image_.pixels.resize(image_.row_bytes() * static_cast<size_t>(image_.height_px));
    if (run_length) {
      OCELLI_RETURN_IF_ERROR(DecodeRuns());
    } else {
      DecodeRows(stride);
    }
    return std::move(image_);
  }

 private:
  // Row `y` counted as the file does.
  uint8_t* FileRow(size_t y) {
    const int row = static_cast<int>(y);
    return image_.Row(header_.top_down ? row : image_.height_px - 1 - row);
  }

  void Put(size_t x, size_t y, uint32_t index) {
    std::memcpy(FileRow(y) + 3 * x, header_.palette[index].data(), 3);
  }

  void DecodeRows(size_t stride) {
    const bool use_alpha = header_.has_alpha() && AnyAlpha(stride);
    for (size_t y = 0; y < static_cast<size_t>(image_.height_px); ++y) {
      const size_t at = y * stride;
      if (header_.has_palette()) {
        PaletteRow(at, y);
      } else if (header_.bits_per_pixel == 24) {
        Bgr24Row(at, FileRow(y));
      } else {
        MaskedRow(at, use_alpha, FileRow(y));
      }
    }
  }

  uint32_t MaskedPixel(size_t row_at, size_t x) const {
    return header_.bits_per_pixel == 16 ? U16(pixels_, row_at + 2 * x)
                                        : U32(pixels_, row_at + 4 * x);
  }

  // Many writers declare an alpha mask and leave it zero: such a picture is opaque.
  bool AnyAlpha(size_t stride) const {
    for (size_t y = 0; y < static_cast<size_t>(image_.height_px); ++y) {
      for (size_t x = 0; x < static_cast<size_t>(image_.width_px); ++x) {
        if ((MaskedPixel(y * stride, x) & header_.masks[3]) != 0) return true;
      }
    }
    return false;
  }

  void PaletteRow(size_t at, size_t y) {
    const uint32_t bits = header_.bits_per_pixel;
    const size_t per_byte = 8 / bits;
    for (size_t x = 0; x < static_cast<size_t>(image_.width_px); ++x) {
      const auto shift = static_cast<uint32_t>((per_byte - 1 - x % per_byte) * bits);
      Put(x, y, U8(pixels_, at + x / per_byte) >> shift & ((1U << bits) - 1));
    }
  }

  void Bgr24Row(size_t at, uint8_t* rgb) const {
    for (size_t x = 0; x < static_cast<size_t>(image_.width_px); ++x, at += 3, rgb += 3) {
      for (size_t c = 0; c < 3; ++c) rgb[c] = std::to_integer<uint8_t>(pixels_[at + 2 - c]);
    }
  }

  void MaskedRow(size_t at, bool use_alpha, uint8_t* rgb) const {
    for (size_t x = 0; x < static_cast<size_t>(image_.width_px); ++x, rgb += 3) {
      const uint32_t pixel = MaskedPixel(at, x);
      const uint8_t alpha = use_alpha ? Masked(pixel, header_.masks[3]) : 255;
      for (size_t c = 0; c < 3; ++c) rgb[c] = OnWhite(Masked(pixel, header_.masks[c]), alpha);
    }
  }

  // Writes `count` pixels at the pen from indexes that `index_at` yields; what passes the edge is
  // lost.
  template <typename IndexAt>
  void Draw(size_t count, IndexAt index_at) {
    const auto width = static_cast<size_t>(image_.width_px);
    for (size_t i = 0; i < count && pen_x_ < width; ++i, ++pen_x_) Put(pen_x_, pen_y_, index_at(i));
  }

  void DrawRun(uint32_t count, uint32_t value) {
    const bool four_bits = header_.compression == kRle4;
    Draw(count, [&](size_t i) {
      return !four_bits ? value : i % 2 == 0 ? value >> 4 : value & 15;
    });
  }

  // Returns how many bytes the literal pixels took, padded to 16 bits.
  size_t DrawLiteral(size_t at, uint32_t count) {
    const bool four_bits = header_.compression == kRle4;
    Draw(count, [&](size_t i) {
      if (!four_bits) return U8(pixels_, at + i);
      const uint32_t pair = U8(pixels_, at + i / 2);
      return i % 2 == 0 ? pair >> 4 : pair & 15;
    });
    const size_t data_bytes = four_bits ? (count + 1) / 2 : count;
    return (data_bytes + 1) / 2 * 2;
  }

  void FillWithFirstColour() {
    for (size_t y = 0; y < static_cast<size_t>(image_.height_px); ++y) {
      for (size_t x = 0; x < static_cast<size_t>(image_.width_px); ++x) Put(x, y, 0);
    }
  }

  Status DecodeRuns() {
    const auto height = static_cast<size_t>(image_.height_px);
    FillWithFirstColour();
    size_t at = 0;
    while (pen_y_ < height) {
      if (at + 2 > pixels_.size()) return Damaged("its runs end before the picture does");
      const uint32_t count = U8(pixels_, at);
      const uint32_t value = U8(pixels_, at + 1);
      at += 2;
      if (count > 0) {
        DrawRun(count, value);
      } else if (value == 0) {  // end of line
        pen_x_ = 0;
        ++pen_y_;
      } else if (value == 1) {  // end of picture
        return {};
      } else if (value == 2) {  // move the pen
        pen_x_ += U8(pixels_, at);
        pen_y_ += U8(pixels_, at + 1);
        at += 2;
      } else {
        at += DrawLiteral(at, value);
      }
      if (at > pixels_.size() + 1) return Damaged("its runs end before the picture does");
    }
    return {};
  }

  Bytes pixels_;
  const Header& header_;
  RgbImage image_;
  size_t pen_x_ = 0;
  size_t pen_y_ = 0;
};

}  // namespace

Result<PictureInfo> ProbeBmp(std::span<const std::byte> bytes, const DecodeLimits& limits) {
  OCELLI_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes, limits));
  return PictureInfo{PictureKind::kBmp, header.size, 1, 1, header.has_alpha()};
}

Result<RgbImage> DecodeBmp(std::span<const std::byte> bytes, const DecodeLimits& limits) {
  OCELLI_ASSIGN_OR_RETURN(const Header header, ReadHeader(bytes, limits));
  return Decoder(bytes.subspan(header.pixel_offset), header).Decode();
}

}  // namespace ocelli
