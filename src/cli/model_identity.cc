#include "cli/model_identity.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "checkpoint/fingerprint.h"
#include "cli/model_location.h"
#include "kernels/kv_block.h"
#include "kernels/targets.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

class Digest {
 public:
  Digest() { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }

  void Add(std::string_view text) {
    EVP_DigestUpdate(context_.get(), text.data(), text.size());
    EVP_DigestUpdate(context_.get(), "", 1);  // so that "ab", "c" differs from "a", "bc"
  }
  void Add(std::span<const std::byte> bytes) {
    EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  }
  // Returns the first 48 bits in hexadecimal.
  std::string Short() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    EVP_DigestFinal_ex(context_.get(), bytes, nullptr);
    std::string text;
    for (int i = 0; i < 6; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free};
};

int64_t WrittenAt(const fs::path& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::file_clock::to_sys(time).time_since_epoch())
      .count();
}

}  // namespace

ModelIdentity IdentityOf(const SessionFiles& files, const EngineOptions& engine) {
  ModelIdentity identity;
  Digest digest;
  digest.Add(OCELLI_VERSION);
  digest.Add(TargetName(ActiveTarget()));
  digest.Add(KvTypeName(engine.kv_type));
  identity.name = files.checkpoint ? ModelNameOf(files.checkpoint->directory().path) : "dummy";
  if (files.checkpoint) {
    const Fingerprint weights = FingerprintOf(files.checkpoint->files());
    digest.Add(std::as_bytes(std::span(weights)));
    for (const SafetensorsFile& file : files.checkpoint->files()) {
      identity.created = std::max(identity.created, WrittenAt(file.path()));
    }
  }
  identity.fingerprint = "fp_" + digest.Short();
  return identity;
}

}  // namespace ocelli::cli
