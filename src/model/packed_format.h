#ifndef OCELLI_MODEL_PACKED_FORMAT_H_
#define OCELLI_MODEL_PACKED_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/packed_file.h"

namespace ocelli::packed {

// What writer and reader of packed files agree on; see packed_file.h.
inline constexpr uint64_t kMagic = 0x4B434150'4C45434F;  // "OCELPACK"
inline constexpr uint64_t kVersion = 1;                  // raise it when any layout changes

inline constexpr size_t kLengthBytes = 8;  // of the header's own length, before it
inline constexpr std::string_view kPadPrefix = "pad.";
inline constexpr std::string_view kChecksums = "ocelli.checksums";
inline constexpr std::string_view kIdentity = "ocelli.pack";
inline constexpr std::string_view kLines = ".lines";
inline constexpr std::string_view kTables = ".tables";
inline constexpr std::string_view kBlockBegins = ".block_begins";
inline constexpr std::string_view kEscapes = ".escapes";
inline constexpr std::string_view kPatchKernel = "model.visual.patch_embed.proj.weight";

using Identity = std::array<uint64_t, 5>;  // magic, version, key, checksum

uint64_t Checksum(std::span<const std::byte> bytes);

// Returns the identity of a file of `key` with this header (the JSON) and these checksums.
Identity MakeIdentity(const PackKey& key, std::span<const std::byte> header,
                      std::span<const uint64_t> checksums);

}  // namespace ocelli::packed

#endif  // OCELLI_MODEL_PACKED_FORMAT_H_
