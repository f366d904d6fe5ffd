#include "picture/decode.h"

#include <fmt/format.h>

#include <new>

#include "picture/bmp_reader.h"
#include "picture/vips_reader.h"

namespace ocelli {

Result<PictureInfo> ProbePicture(std::span<const std::byte> bytes, const DecodeLimits& limits) {
  OCELLI_RETURN_IF_ERROR(CheckEncodedSize(bytes.size(), limits));
  OCELLI_ASSIGN_OR_RETURN(const PictureKind kind, SniffPictureKind(bytes));
  return kind == PictureKind::kBmp ? ProbeBmp(bytes, limits) : ProbeWithVips(kind, bytes, limits);
}

Result<RgbImage> DecodePicture(std::span<const std::byte> bytes, const DecodeLimits& limits) try {
  OCELLI_RETURN_IF_ERROR(CheckEncodedSize(bytes.size(), limits));
  OCELLI_ASSIGN_OR_RETURN(const PictureKind kind, SniffPictureKind(bytes));
  return kind == PictureKind::kBmp ? DecodeBmp(bytes, limits) : DecodeWithVips(kind, bytes, limits);
} catch (const std::bad_alloc&) {
  return Error{
      ErrorCode::kResourceExhausted,
      fmt::format("there is not enough memory to decode this picture of {} bytes; try again later "
                  "or send a smaller one",
                  bytes.size()),
      ""};
}

}  // namespace ocelli
