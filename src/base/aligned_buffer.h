#ifndef OCELLI_BASE_ALIGNED_BUFFER_H_
#define OCELLI_BASE_ALIGNED_BUFFER_H_

#include <cstddef>
#include <utility>

#include "base/huge_pages.h"

namespace ocelli {

// Every buffer starts on a cache line; one of 2 MiB or more starts on a huge-page boundary.
inline constexpr size_t kCacheLineBytes = 64;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Decides for the buffers to come; the default is kSystem. A kernel that does not grant what is
// wanted is no failure. **Threads**: not safe beside allocations.
void SetHugePages(HugePages wanted);

// Owned, zero-filled, aligned memory. Pages of a large buffer cost nothing until they are written.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // **Units**: bytes. **Errors**: std::bad_alloc when memory is exhausted; budget before you ask.
  explicit AlignedBuffer(size_t size_bytes);
  ~AlignedBuffer();
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_bytes_(std::exchange(other.size_bytes_, 0)),
        mapped_(std::exchange(other.mapped_, false)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  void Free() noexcept;

  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
  bool mapped_ = false;  // from mmap, else from aligned_alloc
};

}  // namespace ocelli

#endif  // OCELLI_BASE_ALIGNED_BUFFER_H_
