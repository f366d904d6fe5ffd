#include "checkpoint/dummy_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "base/machine_limits.h"

namespace ocelli {
namespace {

// A weight is a quantile chosen by 16 random bits; one 64-bit hash chooses four.
constexpr size_t kNumQuantiles = size_t{1} << 16;
constexpr size_t kWeightsPerHash = 4;
constexpr size_t kGranularity = size_t{1} << 14;  // weights; a multiple of kWeightsPerHash

constexpr float kMaxMatrixStd = 0.04f;
constexpr float kNormStd = 0.1f;
constexpr float kBiasStd = 0.02f;

// Spreads `x` over all 64 bits (the finaliser of Steele et al., "Fast splittable pseudorandom
// number generators", 2014).
constexpr uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

uint64_t KeyOf(uint64_t seed, std::string_view name) {
  uint64_t key = Mix(seed);
  for (char c : name) key = Mix(key ^ static_cast<unsigned char>(c));
  return key;
}

// Returns the x above `start` for which a standard normal variable exceeds x with probability
// `tail`. Newton's method: the tail is convex there, so it converges from the left without
// overshooting.
double NormalQuantileAbove(double start, double tail) {
  constexpr int kSteps = 8;
  double x = start;
  for (int step = 0; step < kSteps; ++step) {
    const double excess = 0.5 * std::erfc(x / std::numbers::sqrt2) - tail;
    const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    x += excess / density;
  }
  return x;
}

// Returns the standard normal quantiles of (i + 1/2) / kNumQuantiles.
std::vector<float> StandardQuantiles() {
  std::vector<float> quantiles(kNumQuantiles);
  double x = 0;
  for (size_t i = kNumQuantiles / 2; i < kNumQuantiles; ++i) {
    const double tail = (static_cast<double>(kNumQuantiles - i) - 0.5) / kNumQuantiles;
    x = NormalQuantileAbove(x, tail);
    quantiles[i] = static_cast<float>(x);
    quantiles[kNumQuantiles - 1 - i] = static_cast<float>(-x);
  }
  return quantiles;
}

size_t Product(std::span<const size_t> extents) {
  size_t product = 1;
  for (size_t extent : extents) product *= extent;
  return product;
}

// Writes weights [begin, end) of the tensor of `key`; `begin` is a multiple of kWeightsPerHash.
void Fill(uint64_t key, const Bf16* quantiles, size_t begin, size_t end, Bf16* out) {
  for (size_t i = begin; i < end; i += kWeightsPerHash) {
    uint64_t bits = Mix(key ^ (i / kWeightsPerHash));
    const size_t count = std::min(kWeightsPerHash, end - i);
    for (size_t j = 0; j < count; ++j, bits >>= 16) out[i + j] = quantiles[bits & 0xFFFF];
  }
}

}  // namespace

DummyWeights::DummyWeights(ModelConfig config, uint64_t seed, ThreadPool& pool)
    : config_(std::move(config)),
      seed_(seed),
      pool_(pool),
      standard_quantiles_(StandardQuantiles()) {}

const std::vector<Bf16>& DummyWeights::Quantiles(float mean, float std) {
  std::vector<Bf16>& quantiles = quantiles_[{mean, std}];
  if (quantiles.empty()) {
    for (float x : standard_quantiles_) quantiles.push_back(RoundToBf16(mean + std * x));
  }
  return quantiles;
}

const std::vector<Bf16>& DummyWeights::QuantilesFor(std::string_view name,
                                                    std::span<const size_t> shape) {
  if (name.ends_with(".bias")) return Quantiles(0, kBiasStd);
  if (shape.size() < 2) return Quantiles(1, kNormStd);
  const auto inputs = static_cast<float>(Product(shape.subspan(1)));
  return Quantiles(0, std::min(kMaxMatrixStd, 1 / std::sqrt(inputs)));
}

Result<TensorView> DummyWeights::Tensor(std::string_view name, std::span<const size_t> shape) {
  const size_t count = Product(shape);
  const uint64_t usable = DetectMemoryLimits().UsableBytes();
  if (count * sizeof(Bf16) > usable) {
    return Error{ErrorCode::kResourceExhausted,
                 fmt::format("tensor {} of this model needs {} bytes, but {} may be used", name,
                             count * sizeof(Bf16), usable),
                 std::string(name)};
  }
  const std::vector<Bf16>& quantiles = QuantilesFor(name, shape);
  AlignedBuffer& buffer = live_.emplace_back(count * sizeof(Bf16));
  const uint64_t key = KeyOf(seed_, name);
  Bf16* out = reinterpret_cast<Bf16*>(buffer.data());
  pool_.ForRanges(count, kGranularity, [&](size_t begin, size_t end, int) {
    Fill(key, quantiles.data(), begin, end, out);
  });
  return TensorView{
      DType::kBf16, {shape.begin(), shape.end()}, {buffer.data(), buffer.size_bytes()}};
}

void DummyWeights::Release(const TensorView& tensor) {
  std::erase_if(live_,
                [&](const AlignedBuffer& buffer) { return buffer.data() == tensor.bytes.data(); });
}

}  // namespace ocelli
