#ifndef OCELLI_CLI_PACKED_CACHE_H_
#define OCELLI_CLI_PACKED_CACHE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "model/packed_file.h"
#include "parallel/thread_pool.h"

namespace ocelli::cli {

// The packed files of models, each made at the first start and read in place from then on.
class PackedCache {
 public:
  // Opens the cache in $XDG_CACHE_HOME/ocelli/packed, or under ~/.cache. **Errors**: kNotFound when
  // nothing says where that is.
  static Result<PackedCache> Open();

  const std::filesystem::path& directory() const { return directory_; }
  // Returns where the file of `checkpoint` in this format is or will be.
  std::filesystem::path PathOf(const Checkpoint& checkpoint, WeightFormat wanted) const;
  // Returns what all files take on the disk.
  uint64_t SizeBytes() const;
  // Deletes all files; returns their size. A program that reads one keeps it until it ends.
  // **Errors**: kIo.
  Result<uint64_t> Clear() const;

 private:
  explicit PackedCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
};

// Returns the weights of `checkpoint` from the packed file at `path`, which is written first when
// it is not there or does not hold them; other processes wait meanwhile. **Errors**: those of
// WritePackedFile; kResourceExhausted when the disk has no room, before anything is written.
// **Threads**: uses `pool`.
Result<ModelWeights> WeightsPackedAt(const std::filesystem::path& path, Checkpoint& checkpoint,
                                     WeightFormat wanted, ThreadPool& pool,
                                     const LoadProgress& progress = {});

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_PACKED_CACHE_H_
