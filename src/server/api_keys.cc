#include "server/api_keys.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace ocelli::server {

ApiKeys::ApiKeys(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) digests_.push_back(DigestOf(key));
}

std::optional<std::string> ApiKeys::ScopeOf(std::string_view key) const {
  const Digest digest = DigestOf(key);
  std::optional<size_t> found;
  for (size_t i = 0; i < digests_.size(); ++i) {
    if (CRYPTO_memcmp(digest.data(), digests_[i].data(), digest.size()) == 0) found = i;
  }
  if (!found) return std::nullopt;
  return fmt::format("key {}", *found);
}

ApiKeys::Digest ApiKeys::DigestOf(std::string_view key) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), digest.data());
  return digest;
}

}  // namespace ocelli::server
