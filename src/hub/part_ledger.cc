#include "hub/part_ledger.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/disk.h"
#include "base/file.h"
#include "base/rounding.h"

namespace ocelli::hub {
namespace {

constexpr size_t kMaxLedgerBytes = size_t{64} << 20;
constexpr size_t kMinPartBytes = 1;
constexpr size_t kMaxPartBytes = size_t{256} << 20;
constexpr size_t kIndexDigits = 8;
constexpr size_t kHashDigits = 64;
constexpr size_t kLineBytes = kIndexDigits + 1 + kHashDigits + 1;

struct Line {
  size_t part = 0;
  std::string_view hash;
};

// Reads one line with its line break; false when it is none of ours.
bool ReadLine(std::string_view line, Line& out) {
  if (line.size() != kLineBytes || line[kIndexDigits] != ' ' || line.back() != '\n') return false;
  const auto [end, error] = std::from_chars(line.data(), line.data() + kIndexDigits, out.part);
  if (error != std::errc() || end != line.data() + kIndexDigits) return false;
  out.hash = line.substr(kIndexDigits + 1, kHashDigits);
  return out.hash.find_first_not_of("0123456789abcdef") == out.hash.npos;
}

// Returns the part size of a ledger's first line; 0 when it is not the line of this content.
size_t PartBytesOf(std::string_view header, uint64_t size_bytes, const std::string& digest) {
  const std::string before = fmt::format("ocelli-parts 1 {} ", size_bytes);
  const std::string after = " " + digest;
  if (!header.starts_with(before) || !header.ends_with(after)) return 0;
  if (header.size() < before.size() + after.size()) return 0;
  const std::string_view number =
      header.substr(before.size(), header.size() - before.size() - after.size());
  size_t part_bytes = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), part_bytes);
  const bool whole = error == std::errc() && end == number.data() + number.size();
  return whole && part_bytes >= kMinPartBytes && part_bytes <= kMaxPartBytes ? part_bytes : 0;
}

}  // namespace

PartLedger::PartLedger(uint64_t size_bytes, size_t part_bytes, std::filesystem::path path)
    : size_bytes_(size_bytes),
      part_bytes_(part_bytes),
      path_(std::move(path)),
      hashes_(DivideUp(size_bytes, part_bytes)) {}

std::string PartLedger::Header(const std::string& digest) const {
  return fmt::format("ocelli-parts 1 {} {} {}\n", size_bytes_, part_bytes_, digest);
}

Result<PartLedger> PartLedger::Open(const std::filesystem::path& path, uint64_t size_bytes,
                                    size_t part_bytes, const std::string& digest) {
  const Result<std::string> text = ReadFile(path, kMaxLedgerBytes);
  const std::string_view header =
      text.ok() ? std::string_view(*text).substr(0, text->find('\n')) : std::string_view();
  const size_t old_part_bytes = PartBytesOf(header, size_bytes, digest);
  PartLedger ledger(size_bytes, old_part_bytes == 0 ? part_bytes : old_part_bytes, path);
  const size_t kept = old_part_bytes == 0 ? 0 : ledger.Read(*text, digest);
  ledger.file_ = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!ledger.file_.open()) return WriteError(path, "open");
  if (ftruncate(ledger.file_.get(), static_cast<off_t>(kept)) != 0) {
    return WriteError(path, "shorten");
  }
  lseek(ledger.file_.get(), 0, SEEK_END);
  if (kept == 0) {
    OCELLI_RETURN_IF_ERROR(WriteAll(ledger.file_.get(), ledger.Header(digest), path));
  }
  return ledger;
}

size_t PartLedger::Read(const std::string& text, const std::string& digest) {
  const std::string header = Header(digest);
  if (!text.starts_with(header)) return 0;
  size_t at = header.size();
  Line line;
  while (ReadLine(std::string_view(text).substr(at, kLineBytes), line) &&
         line.part < hashes_.size()) {
    hashes_[line.part] = line.hash;
    at += kLineBytes;
  }
  return at;
}

ByteRange PartLedger::Part(size_t i) const {
  const uint64_t begin = uint64_t{i} * part_bytes_;
  return {begin, std::min<uint64_t>(begin + part_bytes_, size_bytes_)};
}

uint64_t PartLedger::MissingBytes() const {
  uint64_t missing = 0;
  for (size_t i = 0; i < hashes_.size(); ++i) {
    if (hashes_[i].empty()) missing += Part(i).size();
  }
  return missing;
}

Status PartLedger::Record(size_t i, const std::string& sha256) {
  OCELLI_RETURN_IF_ERROR(
      WriteAll(file_.get(), fmt::format("{:0{}} {}\n", i, kIndexDigits, sha256), path_));
  hashes_[i] = sha256;
  return {};
}

}  // namespace ocelli::hub
