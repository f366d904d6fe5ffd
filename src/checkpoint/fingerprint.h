#ifndef OCELLI_CHECKPOINT_FINGERPRINT_H_
#define OCELLI_CHECKPOINT_FINGERPRINT_H_

#include <array>
#include <cstdint>
#include <span>

#include "checkpoint/safetensors.h"

namespace ocelli {

// 128 bits of XXH3.
using Fingerprint = std::array<uint64_t, 2>;

// Tells weight files apart in milliseconds: by their sizes, their first bytes (where the header is)
// and samples from everywhere. Equal files have equal fingerprints wherever they are; files that
// differ in a few numbers only may have equal ones too.
Fingerprint FingerprintOf(std::span<const SafetensorsFile> files);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_FINGERPRINT_H_
