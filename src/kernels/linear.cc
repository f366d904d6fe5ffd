#include "kernels/linear.h"

#include <algorithm>
#include <cmath>

#include "base/bf16.h"

namespace ocelli {

LinearScratch::LinearScratch(size_t max_rows, size_t max_inputs, int)
    : buffer_(64), max_rows_(max_rows), max_inputs_(max_inputs) {}

void Linear(MatView<const float> x, const PackedMatrix& w, const float* bias, MatView<float> y,
            LinearMode mode, LinearScratch&, ThreadPool& pool) noexcept {
  const size_t num_inputs = w.num_inputs();
  pool.ForEach(w.num_panels(), [&](size_t p, int) {
    const std::byte* panel = w.Panel(p);
    const size_t lanes = std::min(kPanelRows, w.num_outputs() - p * kPanelRows);
    for (size_t r = 0; r < x.rows(); ++r) {
      float total[kPanelRows] = {};
      for (size_t begin = 0; begin < num_inputs; begin += kSumBlockInputs) {
        float block[kPanelRows] = {};
        for (size_t k = begin; k < std::min(num_inputs, begin + kSumBlockInputs); ++k) {
          for (size_t lane = 0; lane < kPanelRows; ++lane) {
            const size_t i = k * kPanelRows + lane;
            const float weight = w.format() == WeightFormat::kBf16
                                     ? ToFloat(reinterpret_cast<const Bf16*>(panel)[i])
                                     : reinterpret_cast<const float*>(panel)[i];
            block[lane] += x(r, k) * weight;
          }
        }
        for (size_t lane = 0; lane < kPanelRows; ++lane) {
          total[lane] = begin == 0 ? block[lane] : total[lane] + block[lane];
        }
      }
      for (size_t lane = 0; lane < lanes; ++lane) {
        const size_t n = p * kPanelRows + lane;
        const float value = bias == nullptr ? total[lane] : total[lane] + bias[n];
        y(r, n) = mode == LinearMode::kAdd ? y(r, n) + value : value;
      }
    }
  });
}

}  // namespace ocelli
