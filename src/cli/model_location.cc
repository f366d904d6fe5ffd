#include "cli/model_location.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "cli/pull_model.h"
#include "hub/hub_settings.h"
#include "hub/model_cache.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

// Where the embedded model stands, seen from the folder of the program.
constexpr std::array<const char*, 2> kEmbedded = {
    "../../models/embedded",            // build/release/ocelli
    "../share/ocelli/models/embedded",  // /usr/bin/ocelli
};

constexpr std::string_view kEmbeddedFolder = "embedded";
constexpr std::string_view kHubPrefix = "models--";  // of a model's folder in a hub's cache

fs::path ProgramDirectory() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

Error NotHere(const ModelName& name, const std::string& wanted, const fs::path& cache) {
  return Error{
      ErrorCode::kNotFound,
      fmt::format("{} is neither a folder here nor a whole model in {}; `ocelli pull {}{}` "
                  "fetches it",
                  wanted, cache.string(), name.repo.Text(),
                  name.revision == "main" ? "" : " --revision " + name.revision),
      "model"};
}

Result<fs::path> LocateNamed(const std::string& wanted, bool pull) {
  std::error_code ignored;
  const Result<ModelName> name = ParseModelName(wanted);
  if (!name.ok() || fs::exists(wanted, ignored)) return fs::path(wanted);
  OCELLI_ASSIGN_OR_RETURN(const hub::HubSettings settings, hub::HubSettings::FromEnvironment());
  Result<fs::path> found =
      hub::ModelCache(settings.cache_directory).Find(name->repo, name->revision);
  if (found.ok()) return found;
  if (!pull) return NotHere(*name, wanted, settings.cache_directory);
  OCELLI_ASSIGN_OR_RETURN(hub::PullResult pulled,
                          PullModel(settings, {name->repo, name->revision}));
  return std::move(pulled.snapshot);
}

}  // namespace

Result<ModelName> ParseModelName(std::string_view text) {
  ModelName name;
  const size_t at = text.find('@');
  OCELLI_ASSIGN_OR_RETURN(name.repo, hub::ParseRepoId(text.substr(0, at)));
  if (at != text.npos) {
    name.revision = text.substr(at + 1);
    OCELLI_RETURN_IF_ERROR(hub::CheckRevision(name.revision));
  }
  return name;
}

Result<fs::path> LocateModel(const std::string& wanted, bool pull) {
  if (!wanted.empty()) return LocateNamed(wanted, pull);
  if (const char* named = std::getenv("OCELLI_MODEL"); named != nullptr && *named != '\0') {
    return LocateNamed(named, pull);
  }
  return LocateEmbeddedModel();
}

std::string ModelNameOf(const fs::path& directory) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(directory, ignored);
  // .../models--org--name/snapshots/<commit>
  const fs::path snapshots = real.parent_path();
  const std::string kept = snapshots.parent_path().filename().string();
  const size_t between = kept.find("--", kHubPrefix.size());
  if (snapshots.filename() == "snapshots" && kept.starts_with(kHubPrefix) && between != kept.npos) {
    return kept.substr(kHubPrefix.size(), between - kHubPrefix.size()) + "/" +
           kept.substr(between + 2);
  }
  const std::string name = real.filename().string();
  if (name.empty()) return "ocelli";
  return name == kEmbeddedFolder ? "ocelli-embedded" : name;
}

Result<fs::path> LocateEmbeddedModel() {
  const fs::path program = ProgramDirectory();
  for (const char* candidate : kEmbedded) {
    std::error_code ignored;
    const fs::path directory = (program / candidate).lexically_normal();
    if (fs::is_directory(directory, ignored)) return directory;
  }
  return Error{
      ErrorCode::kNotFound,
      fmt::format("no model: give --model or set OCELLI_MODEL (the embedded model is neither at "
                  "{} nor at {} beside {})",
                  kEmbedded[0], kEmbedded[1], program.string()),
      "model"};
}

}  // namespace ocelli::cli
