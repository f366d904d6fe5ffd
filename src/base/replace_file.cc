#include "base/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"

namespace ocelli {
namespace {

namespace fs = std::filesystem;

Error Failed(std::string_view verb, const fs::path& path) {
  const int reason = errno;
  const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  return Error{full ? ErrorCode::kResourceExhausted : ErrorCode::kIo,
               fmt::format("cannot {} {}: {}{}", verb, path.string(), std::strerror(reason),
                           full ? "; free some space" : ""),
               path.string()};
}

bool WriteWhole(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    content.remove_prefix(static_cast<size_t>(count));
  }
  return fsync(fd) == 0;
}

}  // namespace

Status ReplaceFile(const fs::path& path, std::string_view content, const fs::path& fresh) {
  const Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.open()) return Failed("create", fresh);
  if (!WriteWhole(file.get(), content)) {
    Error error = Failed("write", fresh);
    unlink(fresh.c_str());
    return error;
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) {
    Error error = Failed("replace", path);
    unlink(fresh.c_str());
    return error;
  }
  SyncDirectory(path.parent_path());
  return {};
}

void SyncDirectory(const fs::path& directory) {
  const Descriptor fd(
      open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.open()) fsync(fd.get());
}

}  // namespace ocelli
