#include "hub/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace ocelli::hub {
namespace {

constexpr size_t kSha256Digits = 64;
constexpr size_t kSha1Digits = 40;

std::string Hex(const unsigned char* bytes, size_t count) {
  std::string hex;
  for (size_t i = 0; i < count; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

std::string HexOf(const EVP_MD* algorithm, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  OCELLI_CHECK(
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, algorithm, nullptr) == 1,
      "EVP_Digest");
  return Hex(digest.data(), size);
}

char LowerHex(char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view FileDigest::KindName() const {
  return kind == DigestKind::kSha256 ? "SHA-256" : "git SHA-1";
}

FileDigest ParseDigest(std::string_view text) {
  FileDigest digest;
  if (text.size() != kSha256Digits && text.size() != kSha1Digits) return digest;
  std::string hex(text);
  std::transform(hex.begin(), hex.end(), hex.begin(), LowerHex);
  if (hex.find_first_not_of("0123456789abcdef") != hex.npos) return digest;
  digest.kind = hex.size() == kSha256Digits ? DigestKind::kSha256 : DigestKind::kGitBlob;
  digest.hex = std::move(hex);
  return digest;
}

Hasher::Hasher(DigestKind kind, uint64_t size_bytes) : context_(EVP_MD_CTX_new()) {
  const EVP_MD* algorithm = kind == DigestKind::kSha256 ? EVP_sha256() : EVP_sha1();
  OCELLI_CHECK(context_ != nullptr && EVP_DigestInit_ex(context_, algorithm, nullptr) == 1,
               "EVP_DigestInit_ex");
  if (kind == DigestKind::kSha256) return;
  const std::string prefix = fmt::format("blob {}", size_bytes);
  Update({prefix.c_str(), prefix.size() + 1});  // with the 0 at its end
}

Hasher::~Hasher() { EVP_MD_CTX_free(context_); }

void Hasher::Update(std::string_view bytes) {
  OCELLI_CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1, "EVP_DigestUpdate");
}

std::string Hasher::Finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  OCELLI_CHECK(EVP_DigestFinal_ex(context_, digest.data(), &size) == 1, "EVP_DigestFinal_ex");
  return Hex(digest.data(), size);
}

std::string Sha256Hex(std::string_view bytes) { return HexOf(EVP_sha256(), bytes); }
std::string Sha1Hex(std::string_view bytes) { return HexOf(EVP_sha1(), bytes); }

}  // namespace ocelli::hub
