#include "base/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/rounding.h"

namespace ocelli {
namespace {

HugePages g_huge_pages = HugePages::kSystem;

// Maps `size_bytes` (a multiple of the huge page) starting on a huge-page boundary: takes one huge
// page too many and gives the unaligned ends back.
std::byte* MapAligned(size_t size_bytes) {
  const size_t taken = size_bytes + kHugePageBytes;
  void* raw = mmap(nullptr, taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  auto* begin = static_cast<std::byte*>(raw);
  const size_t misaligned = reinterpret_cast<uintptr_t>(begin) % kHugePageBytes;
  const size_t head = misaligned == 0 ? 0 : kHugePageBytes - misaligned;
  if (head > 0) munmap(begin, head);
  munmap(begin + head + size_bytes, taken - head - size_bytes);
  if (g_huge_pages != HugePages::kSystem) {
    madvise(begin + head, size_bytes,
            g_huge_pages == HugePages::kOn ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  }
  return begin + head;
}

}  // namespace

void SetHugePages(HugePages wanted) { g_huge_pages = wanted; }

AlignedBuffer::AlignedBuffer(size_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) return;
  if (size_bytes >= kHugePageBytes) {
    mapped_ = true;
    data_ = MapAligned(RoundUp(size_bytes, kHugePageBytes));
    return;
  }
  const size_t rounded = RoundUp(size_bytes, kCacheLineBytes);
  data_ = static_cast<std::byte*>(std::aligned_alloc(kCacheLineBytes, rounded));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_, 0, rounded);
}

AlignedBuffer::~AlignedBuffer() { Free(); }

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this != &other) {
    Free();
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
    mapped_ = std::exchange(other.mapped_, false);
  }
  return *this;
}

void AlignedBuffer::Free() noexcept {
  if (mapped_) {
    munmap(data_, RoundUp(size_bytes_, kHugePageBytes));
  } else {
    std::free(data_);
  }
  data_ = nullptr;
}

}  // namespace ocelli
