#include "kernels/reference/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ocelli::reference {
namespace {

double Dot(const float* a, const float* b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// One query head against the first `visible` tokens of one kv head.
void AttendHead(const float* q, MatView<const float> k, MatView<const float> v, size_t visible,
                double* out) {
  const size_t head_dim = k.cols();
  std::vector<double> weights(visible);
  for (size_t t = 0; t < visible; ++t) {
    weights[t] = Dot(q, k.Row(t), head_dim) / std::sqrt(static_cast<double>(head_dim));
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (double& weight : weights) sum += weight = std::exp(weight - largest);
  std::fill(out, out + head_dim, 0.0);
  for (size_t t = 0; t < visible; ++t) {
    for (size_t d = 0; d < head_dim; ++d) out[d] += weights[t] / sum * double{v(t, d)};
  }
}

}  // namespace

void CausalAttention(size_t heads, size_t kv_heads, size_t head_dim, size_t first_token,
                     MatView<const float> q, MatView<const float> k, MatView<const float> v,
                     MatView<double> out) {
  for (size_t r = 0; r < q.rows(); ++r) {
    for (size_t h = 0; h < heads; ++h) {
      const size_t kv_column = h / (heads / kv_heads) * head_dim;
      AttendHead(q.Row(r) + h * head_dim, k.Cols(kv_column, head_dim), v.Cols(kv_column, head_dim),
                 first_token + r + 1, out.Row(r) + h * head_dim);
    }
  }
}

void FullAttention(size_t heads, size_t head_dim, MatView<const float> q, MatView<const float> k,
                   MatView<const float> v, MatView<double> out) {
  for (size_t r = 0; r < q.rows(); ++r) {
    for (size_t column = 0; column < heads * head_dim; column += head_dim) {
      AttendHead(q.Row(r) + column, k.Cols(column, head_dim), v.Cols(column, head_dim), k.rows(),
                 out.Row(r) + column);
    }
  }
}

}  // namespace ocelli::reference
