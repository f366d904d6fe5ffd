#include "hub/model_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/disk.h"
#include "base/file.h"
#include "hub/file_lock.h"

namespace ocelli::hub {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRefBytes = 256;
constexpr std::string_view kUnfinished = ".ocelli-part";
constexpr std::string_view kLedger = ".ocelli-parts";

// Returns the entries of a folder; none when it cannot be read.
std::vector<fs::path> Entries(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Returns the names of the refs, which may lie in folders ("refs/pr/1").
std::vector<std::string> RefNames(const fs::path& refs) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(refs, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file(error)) names.push_back(it->path().lexically_relative(refs).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Error NotInCache(const RepoId& repo, const fs::path& directory) {
  return Error{ErrorCode::kNotFound,
               fmt::format("{} is not in {}", repo.Text(), directory.string()), "model"};
}

}  // namespace

fs::path ModelCache::RepoDirectory(const RepoId& repo) const {
  return directory_ / repo.FolderName();
}
fs::path ModelCache::Blob(const RepoId& repo, const std::string& hash) const {
  return RepoDirectory(repo) / "blobs" / hash;
}
fs::path ModelCache::UnfinishedBlob(const RepoId& repo, const std::string& hash) const {
  return RepoDirectory(repo) / "blobs" / fmt::format("{}{}", hash, kUnfinished);
}
fs::path ModelCache::Ledger(const RepoId& repo, const std::string& hash) const {
  return RepoDirectory(repo) / "blobs" / fmt::format("{}{}", hash, kLedger);
}
fs::path ModelCache::Lock(const RepoId& repo, const std::string& hash) const {
  return directory_ / ".locks" / repo.FolderName() / (hash + ".lock");
}
fs::path ModelCache::Snapshot(const RepoId& repo, const std::string& commit) const {
  return RepoDirectory(repo) / "snapshots" / commit;
}

std::optional<std::string> ModelCache::CommitOf(const RepoId& repo,
                                                const std::string& revision) const {
  if (IsCommit(revision)) return revision;
  Result<std::string> content = ReadFile(RepoDirectory(repo) / "refs" / revision, kMaxRefBytes);
  if (!content.ok()) return std::nullopt;
  while (!content->empty() && (content->back() == '\n' || content->back() == ' ')) {
    content->pop_back();
  }
  return IsCommit(*content) ? std::optional(*std::move(content)) : std::nullopt;
}

Result<fs::path> ModelCache::Find(const RepoId& repo, const std::string& revision) const {
  std::error_code ignored;
  if (const auto commit = CommitOf(repo, revision)) {
    const fs::path snapshot = Snapshot(repo, *commit);
    if (fs::is_directory(snapshot, ignored)) return snapshot;
  }
  return NotInCache(repo, directory_);
}

Status ModelCache::Link(const RepoId& repo, const std::string& commit, const std::string& name,
                        const std::string& hash) const {
  const fs::path snapshot = Snapshot(repo, commit);
  OCELLI_RETURN_IF_ERROR(MakeDirectories(snapshot));
  const fs::path target = fs::path("../../blobs") / hash;
  std::error_code ignored;
  if (fs::read_symlink(snapshot / name, ignored) == target) return {};
  return ReplaceLink(snapshot / name, target);
}

Status ModelCache::SetRevision(const RepoId& repo, const std::string& revision,
                               const std::string& commit) const {
  if (revision == commit) return {};
  const fs::path ref = RepoDirectory(repo) / "refs" / revision;
  OCELLI_RETURN_IF_ERROR(MakeDirectories(ref.parent_path()));
  return ReplaceFile(ref, commit);
}

std::vector<CachedModel> ModelCache::List() const {
  std::vector<CachedModel> models;
  for (const fs::path& folder : Entries(directory_)) {
    const auto repo = RepoOfFolder(folder.filename().string());
    if (!repo) continue;
    CachedModel model{*repo, RefNames(folder / "refs"), {}, 0, 0};
    for (const std::string& revision : model.revisions) {
      const Result<fs::path> found = Find(*repo, revision);
      if (found.ok() && (model.snapshot.empty() || revision == "main")) model.snapshot = *found;
    }
    for (const fs::path& blob : Entries(folder / "blobs")) {
      const uint64_t bytes = DiskBytesOf(blob);
      model.disk_bytes += bytes;
      const std::string name = blob.filename().string();
      if (name.ends_with(kUnfinished) || name.ends_with(".incomplete")) {
        model.unfinished_bytes += bytes;
      }
    }
    models.push_back(std::move(model));
  }
  return models;
}

Result<uint64_t> ModelCache::Remove(const RepoId& repo) const {
  const fs::path folder = RepoDirectory(repo);
  std::error_code error;
  if (fs::is_symlink(folder, error)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is a link to another place; delete what it leads to yourself",
                             folder.string()),
                 "model"};
  }
  if (!fs::is_directory(folder, error)) return NotInCache(repo, directory_);
  const fs::path lock_folder = directory_ / ".locks" / repo.FolderName();
  std::vector<FileLock> locks;  // so that nobody begins a download meanwhile
  for (const fs::path& path : Entries(lock_folder)) {
    OCELLI_ASSIGN_OR_RETURN(std::optional<FileLock> lock, FileLock::Try(path));
    if (!lock) {
      return Error{ErrorCode::kUnavailable,
                   fmt::format("{} is being downloaded; stop that first", repo.Text()), "model"};
    }
    locks.push_back(*std::move(lock));
  }
  uint64_t bytes = 0;
  for (const fs::path& blob : Entries(folder / "blobs")) bytes += DiskBytesOf(blob);
  fs::remove_all(folder / "refs", error);  // first, so that half a model is never found
  if (!error) fs::remove_all(folder, error);
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot delete {}: {}", folder.string(), error.message()),
                 folder.string()};
  }
  fs::remove_all(lock_folder, error);
  return bytes;
}

}  // namespace ocelli::hub
