#include "server/picture_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "api/percent_encoding.h"
#include "server/http_message.h"

namespace ocelli::server {
namespace {

constexpr std::string_view kScheme = "file://";
constexpr std::string_view kLocalHost = "localhost/";

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

std::optional<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::optional<std::string>(real.get()) : std::nullopt;
}

// Returns the path that is really open, whatever happened to names and links since.
std::optional<std::string> OpenPath(const Descriptor& file) {
  std::array<char, PATH_MAX> path;
  const std::string link = fmt::format("/proc/self/fd/{}", file.number());
  const ssize_t size = readlink(link.c_str(), path.data(), path.size());
  if (size <= 0 || static_cast<size_t>(size) >= path.size()) return std::nullopt;
  return std::string(path.data(), static_cast<size_t>(size));
}

// Returns the path in a file URL; nothing for another host's.
std::optional<std::string> PathOf(std::string_view url) {
  if (LowerCase(url.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  url.remove_prefix(kScheme.size());
  if (url.starts_with(kLocalHost)) url.remove_prefix(kLocalHost.size() - 1);
  std::string path = api::PercentDecoded(url);
  const bool usable =
      path.starts_with('/') && path.size() < PATH_MAX && path.find('\0') == std::string::npos;
  return usable ? std::optional(std::move(path)) : std::nullopt;
}

// Reads `size` bytes, fewer when the file has shrunk meanwhile.
std::optional<std::vector<std::byte>> ReadAll(const Descriptor& file, size_t size) {
  std::vector<std::byte> bytes(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t count = read(file.number(), bytes.data() + done, size - done);
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace

Result<PictureFolder> PictureFolder::Open(const std::filesystem::path& folder) {
  if (folder.empty()) return PictureFolder("");
  std::optional<std::string> real = RealPath(folder.string());
  std::error_code ignored;
  if (!real || !std::filesystem::is_directory(*real, ignored)) {
    return Error{ErrorCode::kNotFound, fmt::format("{} is no folder", folder.string()),
                 "allow_image_dir"};
  }
  if (!real->ends_with('/')) *real += '/';
  return PictureFolder(std::move(*real));
}

Result<std::vector<std::byte>> PictureFolder::Read(std::string_view url, size_t limit_bytes) const {
  if (real_path_.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "pictures are not read from files here (--allow-image-dir); send the picture as a "
                 "data URL, data:image/png;base64,...",
                 ""};
  }
  const Error refusal{ErrorCode::kInvalidArgument,
                      "the file URL names no readable regular file below the allowed folder", ""};
  const std::optional<std::string> path = PathOf(url);
  const std::optional<std::string> real = path ? RealPath(*path) : std::nullopt;
  // Before anything is opened: opening a device can already do something.
  if (!real || !real->starts_with(real_path_)) return refusal;
  const Descriptor file(
      open(real->c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.number() < 0) return refusal;
  // And again for what was really opened: names may have changed in between.
  struct stat status {};
  const std::optional<std::string> opened = OpenPath(file);
  if (!opened || !opened->starts_with(real_path_) || fstat(file.number(), &status) != 0 ||
      !S_ISREG(status.st_mode)) {
    return refusal;
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size > limit_bytes) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("the picture has {} bytes, the limit is {}", size, limit_bytes), ""};
  }
  auto bytes = ReadAll(file, size);
  if (!bytes) return refusal;
  return std::move(*bytes);
}

}  // namespace ocelli::server
