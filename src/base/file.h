#ifndef OCELLI_BASE_FILE_H_
#define OCELLI_BASE_FILE_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ocelli {

// Reads a regular file whole. **Errors**: kNotFound, kIo; kTooLarge above `limit_bytes` (checked
// before memory is taken); kInvalidArgument for a directory, pipe or device.
Result<std::string> ReadFile(const std::filesystem::path& path, size_t limit_bytes);

// A regular file mapped read-only and shared: its pages belong to the page cache.
class MappedFile {
 public:
  // **Errors**: as ReadFile, without the size limit. An empty file maps to an empty span.
  static Result<MappedFile> Open(const std::filesystem::path& path);

  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept
      : path_(std::move(other.path_)),
        data_(std::exchange(other.data_, nullptr)),
        size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }
  const std::filesystem::path& path() const { return path_; }

  // Tells the kernel that `range` (inside bytes()) has been consumed, so its pages stop counting
  // against this process; reading it again is correct, only slower.
  void Release(std::span<const std::byte> range) const;

 private:
  MappedFile(std::filesystem::path path, const std::byte* data, size_t size_bytes)
      : path_(std::move(path)), data_(data), size_bytes_(size_bytes) {}
  void Unmap() noexcept;

  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_BASE_FILE_H_
