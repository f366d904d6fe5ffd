#include "model/allocation_counter.h"

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<uint64_t> g_num_allocations{0};

void* CountedAllocation(size_t size) {
  g_num_allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

// The linker sends our rooms' calls of these two here (--wrap).
extern "C" {
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  g_num_allocations.fetch_add(1, std::memory_order_relaxed);
  return __real_aligned_alloc(alignment, size);
}
void* __real_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  g_num_allocations.fetch_add(1, std::memory_order_relaxed);
  return __real_mmap(address, size, protection, flags, file, offset);
}
}

void* operator new(size_t size) {
  void* memory = CountedAllocation(size);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new[](size_t size) { return operator new(size); }
// The library asks for temporary room this way (std::stable_sort).
void* operator new(size_t size, const std::nothrow_t&) noexcept { return CountedAllocation(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return CountedAllocation(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace ocelli {

uint64_t NumAllocations() { return g_num_allocations.load(std::memory_order_relaxed); }

}  // namespace ocelli
