#include "server/picture_store.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <utility>

#include "base/quoted.h"

namespace ocelli::server {
namespace {

constexpr size_t kMaxNameBytes = 256;
constexpr uint64_t kEntryBytes = 1024;  // what an entry costs besides its picture, about

Error Invalid(std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message), ""};
}

}  // namespace

Status PictureStore::Put(const std::string& scope, const std::string& uuid, const Bytes& bytes) {
  if (uuid.size() > kMaxNameBytes) {
    return Invalid(
        fmt::format("the uuid has {} bytes, the limit is {}", uuid.size(), kMaxNameBytes));
  }
  const Digest digest = DigestOf(*bytes);
  const Name name(scope, uuid);
  const std::lock_guard lock(mutex_);
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    if (found->second->digest != digest) {
      return Invalid(
          fmt::format("another picture was sent as uuid {}: use a new one", Quoted(uuid)));
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return {};
  }
  const uint64_t cost = bytes->size() + kEntryBytes;
  if (cost > limit_bytes_) return {};  // used this once, not kept
  MakeRoom(cost);
  entries_.push_front({name, digest, bytes});
  by_name_[name] = entries_.begin();
  used_bytes_ += cost;
  return {};
}

Result<PictureStore::Bytes> PictureStore::Get(const std::string& scope, const std::string& uuid) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(Name(scope, uuid));
  if (found == by_name_.end()) {
    return Invalid(fmt::format("no picture is kept as uuid {}: send it again", Quoted(uuid)));
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->bytes;
}

uint64_t PictureStore::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

PictureStore::Digest PictureStore::DigestOf(std::span<const std::byte> bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

void PictureStore::MakeRoom(uint64_t bytes) {
  while (!entries_.empty() && used_bytes_ + bytes > limit_bytes_) {
    used_bytes_ -= entries_.back().bytes->size() + kEntryBytes;
    by_name_.erase(entries_.back().name);
    entries_.pop_back();
  }
}

}  // namespace ocelli::server
