#include "hub/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <utility>

#include "base/disk.h"

namespace ocelli::hub {

Result<std::optional<FileLock>> FileLock::Try(const std::filesystem::path& path) {
  OCELLI_RETURN_IF_ERROR(MakeDirectories(path.parent_path()));
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.open()) return WriteError(path, "open");
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return std::optional(FileLock(std::move(file)));
  if (errno == EWOULDBLOCK || errno == EINTR) return std::optional<FileLock>();
  return WriteError(path, "lock");
}

}  // namespace ocelli::hub
