#include "cli/ocr_folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/disk.h"
#include "base/file.h"
#include "base/json.h"
#include "base/printable.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kOwnFolder = ".ocelli";
constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kManifestName = "manifest";  // that a picture's JSON must not take
constexpr int kManifestVersion = 1;
constexpr size_t kMaxPageBytes = size_t{64} << 20;
constexpr size_t kMaxManifestBytes = size_t{4} << 30;

// No path is longer; control characters and bytes that are not UTF-8 become four characters each.
constexpr size_t kMaxPathBytes = 64 << 10;

// How the manifest and the outputs call a picture: valid UTF-8 on one line.
std::string FileOf(const OcrInput& input) { return Printable(input.path.string(), kMaxPathBytes); }

Status MakeFolder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error) return {};
  return Error{ErrorCode::kIo,
               fmt::format("cannot make the folder {}: {}", path.string(), error.message()),
               path.string()};
}

}  // namespace

Result<std::unique_ptr<OcrFolder>> OcrFolder::Open(const fs::path& path,
                                                   std::vector<api::OcrFormat> formats,
                                                   const std::vector<OcrInput>& inputs) {
  OCELLI_RETURN_IF_ERROR(MakeFolder(path / kOwnFolder / "pages"));
  OCELLI_ASSIGN_OR_RETURN(std::optional<hub::FileLock> lock,
                          hub::FileLock::Try(path / kOwnFolder / "lock"));
  if (!lock) {
    return Error{
        ErrorCode::kUnavailable,
        fmt::format("another run writes to {}; wait for it or name another folder", path.string()),
        "output"};
  }
  std::unique_ptr<OcrFolder> folder(new OcrFolder(path, std::move(formats), *std::move(lock)));
  folder->ReadManifest();
  folder->NameInputs(inputs);
  // The names are settled before anything is written under them.
  OCELLI_RETURN_IF_ERROR(folder->WriteManifest());
  return folder;
}

// A manifest that cannot be read is made anew: it only repeats what stands elsewhere.
void OcrFolder::ReadManifest() try {
  const Result<std::string> text = ReadFile(path_ / kManifest, kMaxManifestBytes);
  if (!text.ok()) return;
  const json manifest = json::parse(*text);
  for (const json& page : manifest.at("pages")) {
    Entry entry{page.at("file"), page.at("state"), page.at("key"), page.at("warnings"),
                page.at("error")};
    const std::string name = page.at("output");
    names_[entry.file] = name;
    entries_[name] = std::move(entry);
  }
} catch (const json::exception&) {
  names_.clear();
  entries_.clear();
}

std::string OcrFolder::FreeName(const std::string& wanted) const {
  const auto is_free = [this](const std::string& name) {
    return !entries_.contains(name) && name != kManifestName;
  };
  // A picture that was given as ".ocelli/x.png" must not come among our own files.
  const std::string name = wanted.starts_with(kOwnFolder) ? "_" + wanted : wanted;
  if (is_free(name)) return name;
  const fs::path path = name;
  for (size_t number = 2;; ++number) {
    const fs::path numbered = path.parent_path() / fmt::format("{}-{}{}", path.stem().string(),
                                                               number, path.extension().string());
    if (is_free(numbered.string())) return numbered.string();
  }
}

void OcrFolder::NameInputs(const std::vector<OcrInput>& inputs) {
  for (const OcrInput& input : inputs) {
    const std::string file = FileOf(input);
    if (const auto known = names_.find(file); known != names_.end()) {
      entries_[known->second] = Entry{file, "waiting", "", {}, ""};
      continue;
    }
    const std::string name = FreeName(Printable(input.name, kMaxPathBytes));
    names_[file] = name;
    entries_[name] = Entry{file, "waiting", "", {}, ""};
  }
}

std::optional<api::OcrPage> OcrFolder::FindPage(const std::string& key) const {
  const Result<std::string> text =
      ReadFile(path_ / kOwnFolder / "pages" / (key + ".json"), kMaxPageBytes);
  if (!text.ok()) return std::nullopt;
  Result<api::OcrPage> page = api::ParseOcrPage(*text);
  return page.ok() ? std::optional(std::move(page).value()) : std::nullopt;
}

Status OcrFolder::Write(const fs::path& path, std::string_view content) {
  return ReplaceFile(path, content, path_ / kOwnFolder / "fresh");
}

Status OcrFolder::KeepPage(const std::string& key, const api::OcrPage& page) {
  return Write(path_ / kOwnFolder / "pages" / (key + ".json"),
               api::OcrPageJson(page).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

Status OcrFolder::WriteOutputs(const OcrInput& input, const std::string& key,
                               const api::OcrPage& page) {
  const std::string& name = names_.at(FileOf(input));
  for (const api::OcrFormat format : formats_) {
    const fs::path path = path_ / fmt::format("{}.{}", name, api::EndingOf(format));
    const std::string content = api::Formatted(page, FileOf(input), format);
    const Result<std::string> there = ReadFile(path, kMaxPageBytes);
    if (there.ok() && *there == content) continue;
    OCELLI_RETURN_IF_ERROR(MakeFolder(path.parent_path()));
    OCELLI_RETURN_IF_ERROR(Write(path, content));
  }
  Entry& entry = entries_.at(name);
  entry.state = "done";
  entry.key = key;
  entry.warnings = page.warnings;
  return {};
}

void OcrFolder::NoteFailure(const OcrInput& input, const std::string& message) {
  Entry& entry = entries_.at(names_.at(FileOf(input)));
  entry.state = "failed";
  entry.error = message;
}

Status OcrFolder::WriteManifest() {
  ordered_json pages = ordered_json::array();
  for (const auto& [name, entry] : entries_) {
    pages.push_back({{"file", entry.file},
                     {"output", name},
                     {"state", entry.state},
                     {"key", entry.key},
                     {"warnings", entry.warnings},
                     {"error", entry.error}});
  }
  const ordered_json manifest = {{"version", kManifestVersion}, {"pages", std::move(pages)}};
  return Write(path_ / kManifest,
               manifest.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace ocelli::cli
