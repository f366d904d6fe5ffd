#include "model/packed_format.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <system_error>

#include "checkpoint/fingerprint.h"

namespace ocelli {
namespace packed {

uint64_t Checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Identity MakeIdentity(const PackKey& key, std::span<const std::byte> header,
                      std::span<const uint64_t> checksums) {
  const std::array<uint64_t, 2> sums = {Checksum(header), Checksum(std::as_bytes(checksums))};
  return {kMagic, kVersion, key[0], key[1], Checksum(std::as_bytes(std::span(sums)))};
}

}  // namespace packed

PackKey PackKeyOf(const Checkpoint& checkpoint, WeightFormat wanted) {
  const Fingerprint weights = FingerprintOf(checkpoint.files());
  std::vector<uint64_t> facts = {packed::kVersion, static_cast<uint64_t>(wanted), weights[0],
                                 weights[1]};
  for (const SafetensorsFile& file : checkpoint.files()) {
    std::error_code unknown;
    const auto written_at = std::filesystem::last_write_time(file.path(), unknown);
    facts.push_back(unknown ? 0 : static_cast<uint64_t>(written_at.time_since_epoch().count()));
  }
  const XXH128_hash_t hash = XXH3_128bits(facts.data(), facts.size() * sizeof(facts[0]));
  return {hash.low64, hash.high64};
}

std::string PackKeyText(const PackKey& key) {
  return fmt::format("{:016x}{:016x}", key[1], key[0]);
}

}  // namespace ocelli
