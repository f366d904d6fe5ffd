#ifndef OCELLI_SERVER_DECODE_GATE_H_
#define OCELLI_SERVER_DECODE_GATE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "picture/decode_limits.h"

namespace ocelli::server {

// What is done with a picture's pixels, which says how much memory they take.
enum class PixelWork { kDecode, kEnhance };

// Lets as many pictures be decoded at the same time as their pixels have memory for; the others
// wait in the order in which they came, so that small ones never keep a large one out for ever. A
// few kilobytes of file can be a hundred million pixels. **Threads**: any.
class DecodeGate {
 public:
  // A place within the gate; given back when this dies.
  class Pass {
   public:
    Pass(DecodeGate& gate, size_t bytes) : gate_(gate), bytes_(bytes) {}
    ~Pass() { gate_.Leave(bytes_); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    DecodeGate& gate_;
    const size_t bytes_;
  };

  // **Units**: `limit_bytes` of pixels within at the same time.
  explicit DecodeGate(size_t limit_bytes) : limit_bytes_(limit_bytes), free_bytes_(limit_bytes) {}

  // Returns `limits` with no more pixels than have memory here when they come alone.
  DecodeLimits Fit(const DecodeLimits& limits, PixelWork work) const;

  // Waits until there is memory for a picture of `num_pixels`, one that Fit allows. Who waits holds
  // no place, so that those within always come to their end.
  [[nodiscard]] Pass Enter(uint64_t num_pixels, PixelWork work);

  // Returns how many wait.
  size_t num_waiting();

 private:
  void Leave(size_t bytes);

  const size_t limit_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t free_bytes_;
  uint64_t num_came_ = 0;
  uint64_t num_entered_ = 0;  // of those, the first
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_DECODE_GATE_H_
