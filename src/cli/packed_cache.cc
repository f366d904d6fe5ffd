#include "cli/packed_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "base/byte_size.h"
#include "base/disk.h"
#include "base/log.h"
#include "cli/model_location.h"
#include "hub/file_lock.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".safetensors";
constexpr std::chrono::milliseconds kLockWait{100};
// Left free on the disk: a full one stops more than us.
constexpr uint64_t kSpareDiskBytes = uint64_t{256} << 20;

Result<hub::FileLock> TakeLock(const fs::path& path) {
  for (bool told = false;; told = true) {
    OCELLI_ASSIGN_OR_RETURN(std::optional<hub::FileLock> lock, hub::FileLock::Try(path));
    if (lock) return *std::move(lock);
    if (!told) LogInfo("another process packs these weights; waiting for it");
    std::this_thread::sleep_for(kLockWait);
  }
}

Status CheckDisk(const fs::path& path, const Checkpoint& checkpoint, WeightFormat wanted) {
  const uint64_t needed = PackedFileBytes(checkpoint.config(), wanted) + kSpareDiskBytes;
  OCELLI_ASSIGN_OR_RETURN(const uint64_t free, FreeDiskBytes(path.parent_path()));
  if (free >= needed) return {};
  return Error{ErrorCode::kResourceExhausted,
               fmt::format("packed weights need {} in {}, which has {} free", DescribeBytes(needed),
                           path.parent_path().string(), DescribeBytes(free)),
               path.string()};
}

Status Pack(const fs::path& path, Checkpoint& checkpoint, WeightFormat wanted, const PackKey& key,
            ThreadPool& pool, const LoadProgress& progress) {
  OCELLI_RETURN_IF_ERROR(CheckDisk(path, checkpoint, wanted));
  fs::path unfinished = path;
  unfinished += ".unfinished";  // of whoever holds the lock: one that was killed left it to us
  const Status written = WritePackedFile(checkpoint, wanted, key, unfinished, pool, progress);
  if (!written.ok()) {
    unlink(unfinished.c_str());
    return written;
  }
  if (rename(unfinished.c_str(), path.c_str()) != 0) return WriteError(path, "replace");
  SyncDirectory(path.parent_path());
  return {};
}

// Calls `see` with each packed file, finished or not.
template <typename See>
void ForEachFile(const fs::path& directory, See see) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().find(kExtension) != std::string::npos) see(it->path());
  }
}

}  // namespace

Result<PackedCache> PackedCache::Open() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return PackedCache(fs::path(cache) / "ocelli/packed");
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return PackedCache(fs::path(home) / ".cache/ocelli/packed");
  return Error{ErrorCode::kNotFound,
               "nothing says where packed weights are kept; set XDG_CACHE_HOME to a folder",
               "XDG_CACHE_HOME"};
}

fs::path PackedCache::PathOf(const Checkpoint& checkpoint, WeightFormat wanted) const {
  std::string name = ModelNameOf(checkpoint.directory().path);
  for (char& c : name) {
    if (c == '/') c = '-';
  }
  return directory_ / fmt::format("{}-{}-{}{}", name, WeightFormatName(wanted),
                                  PackKeyText(PackKeyOf(checkpoint, wanted)), kExtension);
}

uint64_t PackedCache::SizeBytes() const {
  uint64_t bytes = 0;
  ForEachFile(directory_, [&](const fs::path& file) { bytes += DiskBytesOf(file); });
  return bytes;
}

Result<uint64_t> PackedCache::Clear() const {
  uint64_t bytes = 0;
  Status status;
  ForEachFile(directory_, [&](const fs::path& file) {
    const uint64_t size = DiskBytesOf(file);
    if (unlink(file.c_str()) == 0) {
      bytes += size;
    } else if (status.ok()) {
      status = WriteError(file, "delete");
    }
  });
  OCELLI_RETURN_IF_ERROR(status);
  return bytes;
}

Result<ModelWeights> WeightsPackedAt(const fs::path& path, Checkpoint& checkpoint,
                                     WeightFormat wanted, ThreadPool& pool,
                                     const LoadProgress& progress) {
  const PackKey key = PackKeyOf(checkpoint, wanted);
  Result<ModelWeights> weights = OpenPackedFile(path, key, checkpoint.config(), pool);
  if (weights.ok()) return weights;
  fs::path lock_path = path;
  lock_path.replace_extension(".lock");
  OCELLI_ASSIGN_OR_RETURN(const hub::FileLock lock, TakeLock(lock_path));
  weights = OpenPackedFile(path, key, checkpoint.config(), pool);
  if (weights.ok()) return weights;
  if (weights.error().code != ErrorCode::kNotFound) {
    LogWarning("{}: {}; packing the weights again", path.string(), weights.error().message);
  }
  OCELLI_RETURN_IF_ERROR(Pack(path, checkpoint, wanted, key, pool, progress));
  return OpenPackedFile(path, key, checkpoint.config(), pool);
}

}  // namespace ocelli::cli
