#include "cli/exponent_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "checkpoint/expected_tensors.h"

namespace ocelli::cli {
namespace {

constexpr size_t kChunk = size_t{1} << 16;  // weights that are widened at a time

// Bits of a bfloat16 that are no exponent: sign and mantissa.
constexpr double kOtherBits = 8;

}  // namespace

uint64_t ExponentSurvey::num_weights() const {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

double ExponentSurvey::EntropyBits() const {
  const auto total = static_cast<double>(num_weights());
  double bits = 0;
  for (const uint64_t count : counts) {
    if (count > 0)
      bits -= static_cast<double>(count) / total * std::log2(static_cast<double>(count) / total);
  }
  return bits;
}

std::string ExponentSurvey::Describe() const {
  std::array<uint64_t, 256> order = counts;
  std::sort(order.begin(), order.end(), std::greater<>());
  const auto total = static_cast<double>(std::max<uint64_t>(num_weights(), 1));
  // Place 0 of a table is exponent 0 whether or not it is used, so 15 are free.
  const uint64_t rare = std::accumulate(order.begin() + 15, order.end(), uint64_t{0});
  return fmt::format(
      "exponents of {} weights: {:.2f} bits of entropy, so {:.2f} bits a weight at "
      "least; all but {:.4f} % have one of the 15 commonest",
      num_weights(), EntropyBits(), kOtherBits + EntropyBits(),
      100 * static_cast<double>(rare) / total);
}

Result<ExponentSurvey> SurveyExponents(Checkpoint& checkpoint, ThreadPool& pool) {
  std::vector<ExponentSurvey> found(static_cast<size_t>(pool.num_threads()));
  for (const TensorSpec& spec : ExpectedTensors(checkpoint.config())) {
    if (spec.shape.size() < 2) continue;
    OCELLI_ASSIGN_OR_RETURN(const TensorView tensor, checkpoint.Tensor(spec.name, spec.shape));
    const size_t total = tensor.NumElements();
    pool.ForRanges(total, kChunk, [&](size_t begin, size_t end, int worker) {
      std::vector<float> numbers(kChunk);
      auto& counts = found[static_cast<size_t>(worker)].counts;
      for (size_t i = begin; i < end; i += kChunk) {
        const std::span<float> chunk(numbers.data(), std::min(kChunk, end - i));
        WidenTo(tensor, i, chunk);
        for (const float number : chunk) ++counts[std::bit_cast<uint32_t>(number) >> 23 & 0xFFu];
      }
    });
    checkpoint.Release(tensor);
  }
  ExponentSurvey survey;
  for (const ExponentSurvey& part : found) {
    for (size_t i = 0; i < survey.counts.size(); ++i) survey.counts[i] += part.counts[i];
  }
  return survey;
}

}  // namespace ocelli::cli
