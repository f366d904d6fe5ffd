#ifndef OCELLI_SERVER_PICTURE_STORE_H_
#define OCELLI_SERVER_PICTURE_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ocelli::server {

// Keeps encoded pictures under the names (uuid) that callers give them, so that a chat sends each
// picture once. Names of one scope mean nothing in another. The longest unused give way.
// **Threads**: any.
class PictureStore {
 public:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;

  explicit PictureStore(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Keeps `bytes` as `uuid` of `scope`. **Errors**: kInvalidArgument when other bytes are kept
  // under that name, or for a name that is too long.
  Status Put(const std::string& scope, const std::string& uuid, const Bytes& bytes);

  // Returns what is kept. **Errors**: kInvalidArgument when nothing is.
  Result<Bytes> Get(const std::string& scope, const std::string& uuid);

  uint64_t used_bytes() const;

 private:
  using Name = std::pair<std::string, std::string>;  // scope, uuid
  using Digest = std::array<unsigned char, 32>;
  struct Entry {
    Name name;
    Digest digest;
    Bytes bytes;
  };
  static Digest DigestOf(std::span<const std::byte> bytes);
  void MakeRoom(uint64_t bytes);

  const uint64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the latest used first
  std::map<Name, std::list<Entry>::iterator> by_name_;
  uint64_t used_bytes_ = 0;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_PICTURE_STORE_H_
