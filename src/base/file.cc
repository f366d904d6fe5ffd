#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/descriptor.h"

namespace ocelli {
namespace {

struct OpenFile {
  Descriptor descriptor;
  size_t size_bytes;
};

Result<OpenFile> OpenRegular(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes must not hang us.
  Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) {
    const int reason = errno;
    const ErrorCode code =
        reason == ENOENT || reason == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, fmt::format("cannot open {}: {}", path.string(), std::strerror(reason)),
                 path.string()};
  }
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot stat {}: {}", path.string(), std::strerror(errno)),
                 path.string()};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is {}, not a regular file", path.string(),
                             S_ISDIR(info.st_mode) ? "a directory" : "a pipe or device"),
                 path.string()};
  }
  return OpenFile{std::move(fd), static_cast<size_t>(info.st_size)};
}

}  // namespace

Result<std::string> ReadFile(const std::filesystem::path& path, size_t limit_bytes) {
  OCELLI_ASSIGN_OR_RETURN(const OpenFile file, OpenRegular(path));
  if (file.size_bytes > limit_bytes) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("{} has {} bytes, the limit is {}", path.string(), file.size_bytes,
                             limit_bytes),
                 path.string()};
  }
  std::string content(file.size_bytes, '\0');
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t got = read(file.descriptor.get(), content.data() + done, content.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Error{ErrorCode::kIo,
                   fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)),
                   path.string()};
    }
    if (got == 0) break;  // it shrank while we read
    done += static_cast<size_t>(got);
  }
  content.resize(done);
  return content;
}

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  OCELLI_ASSIGN_OR_RETURN(const OpenFile file, OpenRegular(path));
  if (file.size_bytes == 0) return MappedFile(path, nullptr, 0);
  void* data = mmap(nullptr, file.size_bytes, PROT_READ, MAP_SHARED, file.descriptor.get(), 0);
  if (data == MAP_FAILED) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot map {}: {}", path.string(), std::strerror(errno)),
                 path.string()};
  }
  return MappedFile(path, static_cast<const std::byte*>(data), file.size_bytes);
}

void MappedFile::Release(std::span<const std::byte> range) const {
  if (range.empty()) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(range.data()) + page - 1) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(range.data() + range.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() { Unmap(); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    Unmap();
    path_ = std::move(other.path_);
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

void MappedFile::Unmap() noexcept {
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_bytes_);
  data_ = nullptr;
}

}  // namespace ocelli
