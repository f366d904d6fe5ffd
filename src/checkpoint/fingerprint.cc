#include "checkpoint/fingerprint.h"

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace ocelli {
namespace {

constexpr size_t kSamples = 256;  // of each file
constexpr size_t kSampleBytes = 4096;

void AddSamples(std::span<const std::byte> bytes, XXH3_state_t* state) {
  const uint64_t size = bytes.size();
  XXH3_128bits_update(state, &size, sizeof(size));
  for (size_t i = 0; i < kSamples; ++i) {
    const size_t at = bytes.size() / kSamples * i;
    XXH3_128bits_update(state, bytes.data() + at, std::min(kSampleBytes, bytes.size() - at));
  }
}

}  // namespace

Fingerprint FingerprintOf(std::span<const SafetensorsFile> files) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  for (const SafetensorsFile& file : files) AddSamples(file.bytes(), state.get());
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {hash.low64, hash.high64};
}

}  // namespace ocelli
