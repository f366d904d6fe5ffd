#include "picture/picture_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ocelli {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kReadKinds = "JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC or AVIF";
constexpr size_t kTextSampleBytes = 512;

// What is known by its first bytes and is not read.
struct ForeignKind {
  std::string_view prefix;
  std::string_view name;
};
constexpr std::array kForeignKinds = {
    ForeignKind{"%PDF-"sv, "a PDF document"},
    ForeignKind{"%!PS"sv, "a PostScript document"},
    ForeignKind{"PK\3\4"sv, "a ZIP archive or an office document"},
    ForeignKind{"\x1f\x8b"sv, "a gzip archive"},
    ForeignKind{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive"},
    ForeignKind{"Rar!\x1a\7"sv, "a RAR archive"},
    ForeignKind{"\xff\x0a"sv, "a JPEG XL picture"},
    ForeignKind{"\0\0\0\x0cJXL "sv, "a JPEG XL picture"},
    ForeignKind{"\0\0\0\x0cjP  "sv, "a JPEG 2000 picture"},
    ForeignKind{"\xff\x4f\xff\x51"sv, "a JPEG 2000 picture"},
    ForeignKind{"8BPS"sv, "a Photoshop document"},
    ForeignKind{"\0\0\1\0"sv, "a Windows icon"},
    ForeignKind{"\0\0\2\0"sv, "a Windows cursor"},
    ForeignKind{"\x76\x2f\x31\x01"sv, "an OpenEXR picture"},
    ForeignKind{"#?RADIANCE"sv, "a Radiance picture"},
    ForeignKind{"DDS "sv, "a DirectDraw texture"},
    ForeignKind{"qoif"sv, "a QOI picture"},
    ForeignKind{"\x1a\x45\xdf\xa3"sv, "a Matroska or WebM video"},
    ForeignKind{"OggS"sv, "an Ogg file"},
    ForeignKind{"ID3"sv, "an MP3 file"},
    ForeignKind{"RIFF"sv, "a RIFF sound or video"},
    ForeignKind{"\x7f"
                "ELF"sv,
                "a program"},
    ForeignKind{"MZ"sv, "a program"},
    ForeignKind{"version https://git-lfs"sv, "a Git LFS pointer instead of the file itself"},
    ForeignKind{"data:"sv, "a data URL that was not decoded"},
    ForeignKind{"iVBORw0KGgo"sv, "base64 text that was not decoded"},
    ForeignKind{"/9j/"sv, "base64 text that was not decoded"},
    ForeignKind{"UklGR"sv, "base64 text that was not decoded"},
};

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Brands of an ISO media file: the major one, then those it is compatible with.
template <typename Predicate>
bool AnyBrand(std::string_view text, Predicate predicate) {
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<uint8_t>(text[at])); };
  const size_t declared = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
  const size_t end = std::min({text.size(), declared, size_t{256}});
  for (size_t at = 8; at + 4 <= end; at += at == 8 ? 8 : 4) {
    if (predicate(text.substr(at, 4))) return true;
  }
  return false;
}

bool IsAvifBrand(std::string_view brand) { return brand == "avif" || brand == "avis"; }

bool IsHeicBrand(std::string_view brand) {
  constexpr std::array<std::string_view, 8> kBrands = {"heic", "heix", "heim", "heis",
                                                       "hevc", "hevx", "mif1", "msf1"};
  return std::find(kBrands.begin(), kBrands.end(), brand) != kBrands.end();
}

Error NotRead(std::string_view looks_like) {
  return Error{ErrorCode::kUnsupported,
               fmt::format("the file looks like {}, which is not a picture that is read; send {}",
                           looks_like, kReadKinds),
               ""};
}

Result<PictureKind> SniffIsoMedia(std::string_view text) {
  if (AnyBrand(text, IsAvifBrand)) return PictureKind::kAvif;
  if (AnyBrand(text, IsHeicBrand)) return PictureKind::kHeic;
  return NotRead("a video or another ISO media file");
}

bool LooksLikeText(std::string_view text) {
  return std::all_of(
      text.begin(), text.begin() + static_cast<ptrdiff_t>(std::min(text.size(), kTextSampleBytes)),
      [](char c) {
        const auto byte = static_cast<uint8_t>(c);
        return byte >= 0x20 ? byte != 0x7f : c == '\t' || c == '\n' || c == '\r' || c == '\f';
      });
}

std::string_view NameTextKind(std::string_view text) {
  std::string start(text.substr(0, kTextSampleBytes));
  std::transform(start.begin(), start.end(), start.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  if (start.find("<svg") != std::string::npos) return "SVG";
  if (start.find("<html") != std::string::npos || start.find("<!doctype html") != std::string::npos)
    return "HTML";
  if (start.find("<?xml") != std::string::npos) return "XML";
  const size_t first = start.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (start[first] == '{' || start[first] == '[')) return "JSON";
  return "text";
}

bool IsTiff(std::string_view text) {
  return text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv) ||
         text.starts_with("II+\0"sv) || text.starts_with("MM\0+"sv);
}

}  // namespace

std::string_view PictureKindName(PictureKind kind) {
  switch (kind) {
    case PictureKind::kJpeg:
      return "JPEG";
    case PictureKind::kPng:
      return "PNG";
    case PictureKind::kWebp:
      return "WebP";
    case PictureKind::kGif:
      return "GIF";
    case PictureKind::kBmp:
      return "BMP";
    case PictureKind::kTiff:
      return "TIFF";
    case PictureKind::kHeic:
      return "HEIC";
    case PictureKind::kAvif:
      return "AVIF";
  }
  OCELLI_CHECK(false, "unknown PictureKind {}", static_cast<int>(kind));
}

Result<PictureKind> SniffPictureKind(std::span<const std::byte> bytes) {
  const std::string_view text = AsText(bytes);
  if (text.empty()) return Error{ErrorCode::kCorruptData, "the file is empty; send a picture", ""};
  if (text.starts_with("\xff\xd8\xff"sv)) return PictureKind::kJpeg;
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return PictureKind::kPng;
  if (text.starts_with("GIF87a"sv) || text.starts_with("GIF89a"sv)) return PictureKind::kGif;
  if (text.starts_with("RIFF"sv) && text.size() >= 12 && text.substr(8, 4) == "WEBP")
    return PictureKind::kWebp;
  if (IsTiff(text)) return PictureKind::kTiff;
  if (text.size() >= 12 && text.substr(4, 4) == "ftyp") return SniffIsoMedia(text);
  for (const ForeignKind& foreign : kForeignKinds) {
    if (text.starts_with(foreign.prefix)) return NotRead(foreign.name);
  }
  if (LooksLikeText(text)) return NotRead(NameTextKind(text));
  if (text.starts_with("BM"sv)) return PictureKind::kBmp;
  return NotRead("none of the kinds that are known");
}

}  // namespace ocelli
