#ifndef OCELLI_SERVER_BYTE_BUDGET_H_
#define OCELLI_SERVER_BYTE_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace ocelli::server {

// A number of bytes that many requests share, such as the memory of all bodies that are being read.
// **Threads**: any.
class ByteBudget {
 public:
  explicit ByteBudget(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  size_t limit_bytes() const { return limit_bytes_; }
  size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class ByteShare;
  bool Take(size_t bytes) {
    size_t used = used_bytes_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_bytes_ - used) return false;
    } while (!used_bytes_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void Return(size_t bytes) { used_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  const size_t limit_bytes_;
  std::atomic<size_t> used_bytes_{0};
};

// What one owner has taken of a budget; given back when this dies.
// **Threads**: one at a time.
class ByteShare {
 public:
  explicit ByteShare(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
  ByteShare(ByteShare&& other) noexcept
      : budget_(other.budget_), bytes_(std::exchange(other.bytes_, 0)) {}
  ByteShare& operator=(ByteShare&& other) noexcept {
    Clear();
    budget_ = other.budget_;
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~ByteShare() { Clear(); }

  // Takes `bytes` more. Returns false, and takes nothing, when the budget does not hold them.
  bool Take(size_t bytes) {
    if (!budget_->Take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void Clear() { budget_->Return(std::exchange(bytes_, 0)); }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<ByteBudget> budget_;
  size_t bytes_ = 0;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_BYTE_BUDGET_H_
