#ifndef OCELLI_HUB_MODEL_CACHE_H_
#define OCELLI_HUB_MODEL_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "hub/repo_id.h"

namespace ocelli::hub {

// A model of the cache.
struct CachedModel {
  RepoId repo;
  std::vector<std::string> revisions;  // names that lead to a snapshot: "main"
  std::filesystem::path snapshot;      // of main, else of the first revision; empty: none yet
  uint64_t disk_bytes = 0;             // of all its revisions, and of what is on its way
  uint64_t unfinished_bytes = 0;       // of downloads that have not ended
};

// The folder that every tool which uses Hugging Face's hub shares:
//
//   CACHE/models--ORG--NAME/blobs/HASH                    a file's content, once
//                          /snapshots/COMMIT/config.json  a relative link into blobs
//                          /refs/main                     the commit that "main" was
//        /.locks/models--ORG--NAME/HASH.lock              who downloads HASH just now
//
// Unfinished downloads of ours are blobs/HASH.ocelli-part with its ledger, HASH.ocelli-parts.
// **Ref**: huggingface.co/docs/hub/local-cache.
class ModelCache {
 public:
  explicit ModelCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path RepoDirectory(const RepoId& repo) const;
  std::filesystem::path Blob(const RepoId& repo, const std::string& hash) const;
  std::filesystem::path UnfinishedBlob(const RepoId& repo, const std::string& hash) const;
  std::filesystem::path Ledger(const RepoId& repo, const std::string& hash) const;
  std::filesystem::path Lock(const RepoId& repo, const std::string& hash) const;
  std::filesystem::path Snapshot(const RepoId& repo, const std::string& commit) const;

  // Returns the folder of the model's files at a revision (a branch, a tag, a commit), as far as
  // they are there. **Errors**: kNotFound when the cache has nothing of it.
  Result<std::filesystem::path> Find(const RepoId& repo, const std::string& revision) const;

  // Gives file `name` of a snapshot the content `hash`. **Errors**: kIo, kResourceExhausted.
  Status Link(const RepoId& repo, const std::string& commit, const std::string& name,
              const std::string& hash) const;
  // Makes `revision` lead to `commit`, unless it is that commit. **Errors**: kIo,
  // kResourceExhausted.
  Status SetRevision(const RepoId& repo, const std::string& revision,
                     const std::string& commit) const;

  // Returns the models of the cache by name. A folder that cannot be read counts as empty.
  std::vector<CachedModel> List() const;

  // Deletes a model with all its revisions; programs that have it open keep what they have.
  // **Errors**: kNotFound; kUnavailable while somebody downloads it; kInvalidArgument when its
  // folder is a link to another place; kIo. Returns the bytes that it took.
  Result<uint64_t> Remove(const RepoId& repo) const;

 private:
  std::optional<std::string> CommitOf(const RepoId& repo, const std::string& revision) const;

  std::filesystem::path directory_;
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_MODEL_CACHE_H_
