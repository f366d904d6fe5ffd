#include "checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "checkpoint/foreign_file.h"
#include "checkpoint/safetensors_header.h"

namespace ocelli {
namespace {

constexpr size_t kPrefixBytes = 8;
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

Error WithFile(Error error, const std::filesystem::path& path) {
  error.message = fmt::format("{} is no usable safetensors file: {}", path.string(), error.message);
  error.param = path.string();
  return error;
}

Error Corrupt(std::string message) {
  return Error{ErrorCode::kCorruptData, std::move(message), ""};
}

// Reads the little-endian length of the header and checks that the file can hold it.
Result<size_t> HeaderBytes(std::span<const std::byte> bytes) {
  if (bytes.size() < kPrefixBytes) {
    return Corrupt(fmt::format("it has {} bytes, too few for a header", bytes.size()));
  }
  uint64_t length = 0;
  for (size_t i = kPrefixBytes; i-- > 0;) length = length << 8 | static_cast<uint64_t>(bytes[i]);
  if (length > kMaxHeaderBytes) {
    return Error{
        ErrorCode::kTooLarge,
        fmt::format("its header would have {} bytes, the limit is {}", length, kMaxHeaderBytes),
        ""};
  }
  if (length > bytes.size() - kPrefixBytes) {
    return Corrupt(
        fmt::format("it has {} bytes, its header alone {}: the file was cut short, "
                    "download it again",
                    bytes.size(), length));
  }
  return static_cast<size_t>(length);
}

Result<std::vector<SafetensorsEntry>> ParseEntries(std::span<const std::byte> bytes) {
  OCELLI_ASSIGN_OR_RETURN(const size_t header_bytes, HeaderBytes(bytes));
  const auto* header = reinterpret_cast<const char*>(bytes.data() + kPrefixBytes);
  if (header_bytes == 0 || header[0] != '{') return Corrupt("it has no header");
  const size_t data_begin = kPrefixBytes + header_bytes;
  OCELLI_ASSIGN_OR_RETURN(
      std::vector<SafetensorsEntry> entries,
      ParseSafetensorsHeader({header, header_bytes}, bytes.size() - data_begin));
  for (SafetensorsEntry& entry : entries) {
    entry.begin += data_begin;
    entry.end += data_begin;
  }
  return entries;
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::Open(const std::filesystem::path& path) {
  OCELLI_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  Result<std::vector<SafetensorsEntry>> entries = ParseEntries(file.bytes());
  if (entries.ok()) return SafetensorsFile(std::move(file), std::move(entries).value());
  const std::string foreign = RecogniseForeignFile(file.bytes());
  if (foreign.empty()) return WithFile(std::move(entries).error(), path);
  return Error{ErrorCode::kCorruptData, fmt::format("{} {}", path.string(), foreign),
               path.string()};
}

const SafetensorsEntry* SafetensorsFile::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const SafetensorsEntry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found == entries_.end() || found->name != name ? nullptr : &*found;
}

}  // namespace ocelli
