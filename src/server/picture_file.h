#ifndef OCELLI_SERVER_PICTURE_FILE_H_
#define OCELLI_SERVER_PICTURE_FILE_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli::server {

// Reads pictures by file URL from below one folder. **Threads**: any.
class PictureFolder {
 public:
  // An empty `folder`: nothing can be read. **Errors**: kNotFound for a folder that is none.
  static Result<PictureFolder> Open(const std::filesystem::path& folder);

  // Returns the bytes of the file that `url` ("file://...") names, a regular file whose real path,
  // links followed, lies below the folder. **Errors**: kInvalidArgument, with one text whether the
  // file does not exist, lies elsewhere, is none or cannot be read; kTooLarge.
  Result<std::vector<std::byte>> Read(std::string_view url, size_t limit_bytes) const;

 private:
  explicit PictureFolder(std::string real_path) : real_path_(std::move(real_path)) {}

  std::string real_path_;  // ends with '/'; empty: off
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_PICTURE_FILE_H_
