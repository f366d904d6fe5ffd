#ifndef OCELLI_BASE_DESCRIPTOR_H_
#define OCELLI_BASE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace ocelli {

// Owns an open file descriptor, or none (-1), and closes it when it leaves scope.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace ocelli

#endif  // OCELLI_BASE_DESCRIPTOR_H_
