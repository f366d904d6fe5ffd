#include "base/aligned_buffer.h"

#include <cstdint>
#include <new>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(AlignedBuffer, IsAlignedAndZeroAtEverySize) {
  for (size_t size : {size_t{1}, size_t{63}, size_t{64}, size_t{4097}, kHugePageBytes - 1,
                      kHugePageBytes, kHugePageBytes * 2 + 5}) {
    AlignedBuffer buffer(size);
    const size_t alignment = size >= kHugePageBytes ? kHugePageBytes : kCacheLineBytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % alignment, 0u) << size;
    EXPECT_EQ(buffer.size_bytes(), size);
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(buffer.data()[i], std::byte{0});
    buffer.data()[size - 1] = std::byte{7};
  }
}

TEST(AlignedBuffer, MovesItsMemory) {
  AlignedBuffer a(kHugePageBytes);
  std::byte* const data = a.data();
  AlignedBuffer b = std::move(a);
  EXPECT_EQ(b.data(), data);
  AlignedBuffer c(10);
  c = std::move(b);
  EXPECT_EQ(c.data(), data);
  EXPECT_EQ(c.size_bytes(), kHugePageBytes);
}

TEST(AlignedBuffer, MoreThanTheMachineHasIsBadAlloc) {
  EXPECT_THROW(AlignedBuffer(size_t{1} << 60), std::bad_alloc);
}

TEST(AlignedBuffer, EmptyIsFine) {
  AlignedBuffer buffer(0);
  EXPECT_EQ(buffer.data(), nullptr);
}

}  // namespace
}  // namespace ocelli
