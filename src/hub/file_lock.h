#ifndef OCELLI_HUB_FILE_LOCK_H_
#define OCELLI_HUB_FILE_LOCK_H_

#include <filesystem>
#include <optional>

#include "base/descriptor.h"
#include "base/error.h"

namespace ocelli::hub {

// An exclusive lock between processes: flock on a file that stays. Hugging Face's own tools lock
// the same file in the same way. The system gives it back when the process ends, however it ends.
class FileLock {
 public:
  // Takes the lock, making its file and folder; none when another holds it. **Errors**: kIo,
  // kResourceExhausted.
  static Result<std::optional<FileLock>> Try(const std::filesystem::path& path);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_FILE_LOCK_H_
