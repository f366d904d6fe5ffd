#ifndef OCELLI_HUB_DIGEST_H_
#define OCELLI_HUB_DIGEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace ocelli::hub {

// How a hub identifies the content of a file: large files by SHA-256, small ones as git does, by
// the SHA-1 of "blob SIZE\0" and the content.
enum class DigestKind { kSha256, kGitBlob };

// What a file's content must be.
struct FileDigest {
  DigestKind kind = DigestKind::kSha256;
  std::string hex;  // 64 or 40 lower-case digits

  // Returns "SHA-256" or "git SHA-1".
  std::string_view KindName() const;
};

// Reads 64 or 40 hexadecimal digits; `hex` is empty in the result when `text` is neither.
FileDigest ParseDigest(std::string_view text);

// Computes a digest from content that comes in pieces.
class Hasher {
 public:
  // `size_bytes` is that of the whole content, which git puts before it.
  Hasher(DigestKind kind, uint64_t size_bytes);
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void Update(std::string_view bytes);
  // Returns the digest in lower-case hexadecimal. Call it once, last.
  std::string Finish();

 private:
  evp_md_ctx_st* context_;
};

// Returns the SHA-256 of `bytes` in lower-case hexadecimal.
std::string Sha256Hex(std::string_view bytes);
// Returns the SHA-1 of `bytes`, which is no more than a name here.
std::string Sha1Hex(std::string_view bytes);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_DIGEST_H_
