#ifndef OCELLI_PICTURE_RESIZE_TAPS_H_
#define OCELLI_PICTURE_RESIZE_TAPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ocelli {

// A weight is a fixed-point number with this many bits below the point; 8 bits of pixel and 2 of
// headroom make 32.
inline constexpr int kTapPrecisionBits = 32 - 8 - 2;

// A weight is high * 2^15 + low with 0 <= low < 2^15, so that both parts are int16.
inline constexpr int kTapLowBits = 15;

// Two neighbouring taps, as 16-bit multiply-add instructions take them: the first tap in the lower
// half of each word. The second of an odd last pair is 0.
struct TapPair {
  uint32_t high;
  uint32_t low;
};

// The taps of one output sample: inputs [first, first + count).
struct TapRange {
  size_t first;
  size_t count;
  const TapPair* pairs;  // [(count + 1) / 2]
};

// Bicubic weights (a = -0.5) that turn an axis of `in_size` samples into one of `out_size`.
// **Ref**: precompute_coeffs and normalize_coeffs_8bpc in Pillow's Resample.c, in the same order of
// double-precision operations.
class BicubicTaps {
 public:
  BicubicTaps(int in_size, int out_size);

  size_t out_size() const { return ranges_.size(); }
  TapRange Range(size_t out) const {
    const Span& span = ranges_[out];
    return TapRange{span.first, span.count, pairs_.data() + span.pairs_at};
  }

 private:
  struct Span {
    size_t first;
    size_t count;
    size_t pairs_at;
  };
  void AddRange(size_t first, const std::vector<double>& weights);

  std::vector<Span> ranges_;  // [out_size]
  std::vector<TapPair> pairs_;
};

}  // namespace ocelli

#endif  // OCELLI_PICTURE_RESIZE_TAPS_H_
