#include "hub/repo_id.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quoted.h"

namespace ocelli::hub {
namespace {

constexpr size_t kMaxPartBytes = 96;
constexpr size_t kMaxRevisionBytes = 200;
constexpr std::string_view kFolderPrefix = "models--";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

// Hubs allow neither ".." nor "--" in a name; the cache's folder names rely on it.
bool IsNamePart(std::string_view part) {
  return !part.empty() && part.size() <= kMaxPartBytes && part.front() != '.' &&
         part.front() != '-' && part.find("..") == part.npos && part.find("--") == part.npos &&
         std::all_of(part.begin(), part.end(), IsNameCharacter);
}

}  // namespace

Result<RepoId> ParseRepoId(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash != text.npos) {
    const std::string_view org = text.substr(0, slash);
    const std::string_view name = text.substr(slash + 1);
    if (IsNamePart(org) && IsNamePart(name)) return RepoId{std::string(org), std::string(name)};
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is no name of a model; it has an owner and a name, as in "
                           "Qwen/Qwen3-VL-2B-Instruct",
                           Quoted(text)),
               "model"};
}

std::optional<RepoId> RepoOfFolder(std::string_view folder_name) {
  if (!folder_name.starts_with(kFolderPrefix)) return std::nullopt;
  const std::string_view rest = folder_name.substr(kFolderPrefix.size());
  const size_t middle = rest.find("--");
  if (middle == rest.npos) return std::nullopt;
  Result<RepoId> repo =
      ParseRepoId(fmt::format("{}/{}", rest.substr(0, middle), rest.substr(middle + 2)));
  if (!repo.ok()) return std::nullopt;
  return *std::move(repo);
}

Status CheckRevision(std::string_view revision) {
  const bool fits = !revision.empty() && revision.size() <= kMaxRevisionBytes &&
                    revision.front() != '/' && revision.back() != '/' && revision.front() != '.' &&
                    revision.front() != '-' && revision.find("..") == revision.npos &&
                    revision.find("//") == revision.npos && revision.find("/.") == revision.npos &&
                    std::all_of(revision.begin(), revision.end(),
                                [](char c) { return c == '/' || IsNameCharacter(c); });
  if (fits) return {};
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is no revision; give a branch, a tag or a commit, as in main",
                           Quoted(revision)),
               "revision"};
}

bool IsCommit(std::string_view text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace ocelli::hub
