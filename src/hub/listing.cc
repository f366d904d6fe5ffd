#include "hub/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/printable.h"
#include "hub/repo_id.h"

namespace ocelli::hub {
namespace {

using nlohmann::json;

constexpr size_t kMaxFiles = 20'000;
constexpr size_t kMaxNameBytes = 200;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 40;
constexpr size_t kMaxReasonBytes = 200;

constexpr std::array<std::string_view, 6> kWantedNames = {
    "config.json",    "generation_config.json", "preprocessor_config.json",
    "tokenizer.json", "tokenizer_config.json",  "model.safetensors.index.json"};

bool IsPlainName(std::string_view path) {
  return !path.empty() && path.size() <= kMaxNameBytes && path.front() != '.' &&
         std::all_of(path.begin(), path.end(), [](char c) {
           return c > 0x20 && c < 0x7f && c != '/' && c != '\\' && c != ':';
         });
}

bool IsOtherWeights(std::string_view path) {
  return path.ends_with(".bin") || path.ends_with(".pt") || path.ends_with(".pth") ||
         path.ends_with(".gguf") || path.ends_with(".onnx");
}

Error Corrupt(std::string_view what) {
  return Error{
      ErrorCode::kCorruptData,
      fmt::format("its list of files is not one ({}); is the address that of a hub?", what),
      "network"};
}

// Returns the text under `key`, or "".
std::string TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the size under `key`; none when it is no sensible number.
std::optional<uint64_t> SizeOf(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto size = found->get<uint64_t>();
  return size <= kMaxFileBytes ? std::optional(size) : std::nullopt;
}

void Add(Listing& listing, RemoteFile file) {
  listing.other_weights |= IsOtherWeights(file.path);
  if (IsWantedFile(file.path) && listing.Find(file.path) == nullptr) {
    listing.files.push_back(std::move(file));
  }
}

// One of "siblings": rfilename, and with ?blobs=true size, blobId (git's SHA-1) and, for a large
// file, lfs.sha256 and lfs.size.
RemoteFile ReadSibling(const json& entry) {
  RemoteFile file{TextOf(entry, "rfilename"), SizeOf(entry, "size").value_or(0),
                  ParseDigest(TextOf(entry, "blobId"))};
  const auto lfs = entry.find("lfs");
  if (lfs != entry.end() && lfs->is_object()) {
    std::string hex = TextOf(*lfs, "sha256");
    if (hex.empty()) hex = TextOf(*lfs, "oid");
    file.digest = ParseDigest(hex);
    file.size_bytes = SizeOf(*lfs, "size").value_or(file.size_bytes);
  }
  return file;
}

std::string ContentCommit(const Listing& listing) {
  std::vector<std::string> lines;
  for (const RemoteFile& file : listing.files) lines.push_back(file.path + " " + file.digest.hex);
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return Sha1Hex(text);
}

}  // namespace

const RemoteFile* Listing::Find(std::string_view path) const {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

bool IsWantedFile(std::string_view path) {
  if (!IsPlainName(path)) return false;
  if (path.ends_with(".safetensors") || path.starts_with("chat_template.")) return true;
  return std::find(kWantedNames.begin(), kWantedNames.end(), path) != kWantedNames.end();
}

Result<Listing> ParseHuggingFaceListing(std::string_view text) {
  Result<json> parsed = ParseJson(text);
  if (!parsed.ok()) return Corrupt(parsed.error().message);
  const json& object = *parsed;
  if (!object.is_object()) return Corrupt("it is no object");
  Listing listing;
  listing.commit = TextOf(object, "sha");
  if (!IsCommit(listing.commit)) return Corrupt("it names no commit");
  const auto siblings = object.find("siblings");
  if (siblings == object.end() || !siblings->is_array() || siblings->size() > kMaxFiles) {
    return Corrupt("it has no list \"siblings\"");
  }
  for (const json& entry : *siblings) {
    if (entry.is_object()) Add(listing, ReadSibling(entry));
  }
  return listing;
}

Result<Listing> ParseModelScopeListing(std::string_view text) {
  Result<json> parsed = ParseJson(text);
  if (!parsed.ok()) return Corrupt(parsed.error().message);
  const json& object = *parsed;
  if (!object.is_object()) return Corrupt("it is no object");
  const auto code = object.find("Code");
  const auto data = object.find("Data");
  if (code != object.end() && *code != 200) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("it says: {}", Printable(TextOf(object, "Message"), kMaxReasonBytes)),
                 "model"};
  }
  if (data == object.end() || !data->is_object()) return Corrupt("it has no \"Data\"");
  const auto files = data->find("Files");
  if (files == data->end() || !files->is_array() || files->size() > kMaxFiles) {
    return Corrupt("it has no list \"Files\"");
  }
  Listing listing;
  for (const json& entry : *files) {
    if (!entry.is_object() || TextOf(entry, "Type") == "tree") continue;
    Add(listing, {TextOf(entry, "Path"), SizeOf(entry, "Size").value_or(0),
                  ParseDigest(TextOf(entry, "Sha256"))});
  }
  listing.commit = ContentCommit(listing);
  return listing;
}

}  // namespace ocelli::hub
