#ifndef OCELLI_HUB_REPO_ID_H_
#define OCELLI_HUB_REPO_ID_H_

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli::hub {

// The name of a model on a hub: "Qwen/Qwen3-VL-2B-Instruct".
struct RepoId {
  std::string org;
  std::string name;

  // Returns "org/name".
  std::string Text() const { return org + "/" + name; }
  // Returns the folder that every tool which shares the cache uses: "models--org--name".
  std::string FolderName() const { return "models--" + org + "--" + name; }
  auto operator<=>(const RepoId&) const = default;
};

// Reads "org/name". Only letters, digits, '-', '_' and '.' make up the two parts, so that a name is
// safe in a path and in a URL. **Errors**: kInvalidArgument.
Result<RepoId> ParseRepoId(std::string_view text);

// Returns the model that a folder of the cache is for; none for other folders.
std::optional<RepoId> RepoOfFolder(std::string_view folder_name);

// Checks the name of a branch, a tag, a pull request or a commit. **Errors**: kInvalidArgument.
Status CheckRevision(std::string_view revision);

// Returns whether `text` is a whole commit: 40 hexadecimal digits.
bool IsCommit(std::string_view text);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_REPO_ID_H_
