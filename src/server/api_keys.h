#ifndef OCELLI_SERVER_API_KEYS_H_
#define OCELLI_SERVER_API_KEYS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ocelli::server {

// The keys that open the server. They are kept and compared as SHA-256 digests, in a time that
// does not depend on how much of a key was right. **Threads**: immutable.
class ApiKeys {
 public:
  explicit ApiKeys(const std::vector<std::string>& keys);

  // Whether keys are asked for at all.
  bool required() const { return !digests_.empty(); }
  // Returns a name for the owner of `key` that tells nothing about it; nothing for a wrong key.
  std::optional<std::string> ScopeOf(std::string_view key) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  static Digest DigestOf(std::string_view key);

  std::vector<Digest> digests_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_API_KEYS_H_
