#ifndef OCELLI_HUB_PART_LEDGER_H_
#define OCELLI_HUB_PART_LEDGER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "hub/http_client.h"

namespace ocelli::hub {

// Which parts of an unfinished file have arrived, and the SHA-256 each arrived with; kept beside
// the file, so that a process that is killed at any moment loses only the parts on their way.
//
//   ocelli-parts 1 SIZE PART_BYTES DIGEST\n      one line that says what the parts are of
//   00000007 SHA256\n                            appended when part 7 is on the disk
//
// The last line about a part counts; what follows the last line break was cut off by the kill.
class PartLedger {
 public:
  // Opens the ledger at `path`, or begins it anew when it is of another content or damaged.
  // **Units**: `part_bytes` is used for a new one; an old one keeps its own. **Errors**: kIo,
  // kResourceExhausted.
  static Result<PartLedger> Open(const std::filesystem::path& path, uint64_t size_bytes,
                                 size_t part_bytes, const std::string& digest);

  size_t num_parts() const { return hashes_.size(); }
  size_t part_bytes() const { return part_bytes_; }
  uint64_t size_bytes() const { return size_bytes_; }
  // Returns the bytes of the file that part `i` is.
  ByteRange Part(size_t i) const;
  // Returns the hash that part `i` arrived with; "" when it has not.
  const std::string& hash(size_t i) const { return hashes_[i]; }
  // Returns the bytes of the parts that have not arrived.
  uint64_t MissingBytes() const;

  // Notes that part `i` is on the disk. **Errors**: kIo, kResourceExhausted.
  Status Record(size_t i, const std::string& sha256);
  // Takes part `i` for missing, in this process only: it will be recorded again.
  void Forget(size_t i) { hashes_[i].clear(); }

 private:
  PartLedger(uint64_t size_bytes, size_t part_bytes, std::filesystem::path path);
  // Takes in what a ledger of this content says; returns where its last whole line ends, or 0.
  size_t Read(const std::string& text, const std::string& digest);
  std::string Header(const std::string& digest) const;

  uint64_t size_bytes_;
  size_t part_bytes_;
  std::filesystem::path path_;
  std::vector<std::string> hashes_;
  Descriptor file_;
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_PART_LEDGER_H_
