#include "base/disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/descriptor.h"

namespace ocelli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kStatBlockBytes = 512;  // of st_blocks, whatever the file system's own

// A name beside `path` that no other process uses.
fs::path Beside(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}", path.filename().string(), getpid());
}

// Returns 0, or the errno of a write of `size` bytes by `put` that came to nothing.
template <typename Put>
bool PutAll(size_t size, Put put) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = put(done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

Error WriteError(const fs::path& path, std::string_view verb) {
  const int reason = errno;
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) {
    return Error{ErrorCode::kResourceExhausted,
                 fmt::format("the disk is full ({}: {}); free some space, or use a folder on "
                             "another disk",
                             path.string(), std::strerror(reason)),
                 path.string()};
  }
  return Error{ErrorCode::kIo,
               fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(reason)),
               path.string()};
}

Status WriteAll(int fd, std::string_view data, const fs::path& path) {
  const auto put = [&](size_t done) { return write(fd, data.data() + done, data.size() - done); };
  return PutAll(data.size(), put) ? Status() : WriteError(path, "write");
}

Status WriteAllAt(int fd, std::string_view data, uint64_t offset, const fs::path& path) {
  const auto put = [&](size_t done) {
    return pwrite(fd, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
  };
  return PutAll(data.size(), put) ? Status() : WriteError(path, "write");
}

Status MakeDirectories(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error) return {};
  errno = error.value();
  return WriteError(directory, "make the folder");
}

Status ReplaceFile(const fs::path& path, std::string_view content, const fs::path& fresh) {
  const Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.open()) return WriteError(fresh, "create");
  Status status = WriteAll(file.get(), content, fresh);
  if (status.ok() && fsync(file.get()) != 0) status = WriteError(fresh, "write");
  if (status.ok() && rename(fresh.c_str(), path.c_str()) != 0) status = WriteError(path, "replace");
  if (!status.ok()) {
    unlink(fresh.c_str());
    return status;
  }
  SyncDirectory(path.parent_path());
  return {};
}

Status ReplaceFile(const fs::path& path, std::string_view content) {
  return ReplaceFile(path, content, Beside(path));
}

Status ReplaceLink(const fs::path& link, const fs::path& target) {
  const fs::path fresh = Beside(link);
  unlink(fresh.c_str());
  if (symlink(target.c_str(), fresh.c_str()) != 0) return WriteError(fresh, "link");
  if (rename(fresh.c_str(), link.c_str()) != 0) return WriteError(link, "replace");
  return {};
}

void SyncDirectory(const fs::path& directory) {
  const Descriptor fd(
      open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.open()) fsync(fd.get());
}

Result<uint64_t> FreeDiskBytes(const fs::path& directory) {
  fs::path existing = fs::absolute(directory);
  std::error_code ignored;
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  struct statvfs info {};
  if (statvfs(existing.c_str(), &info) != 0) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot see how much space {} has: {}", existing.string(),
                             std::strerror(errno)),
                 existing.string()};
  }
  return uint64_t{info.f_bavail} * info.f_frsize;
}

uint64_t DiskBytesOf(const fs::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return 0;
  return static_cast<uint64_t>(info.st_blocks) * kStatBlockBytes;
}

}  // namespace ocelli
