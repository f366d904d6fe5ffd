#include "kernels/attention.h"

#include <algorithm>
#include <cmath>

namespace ocelli {
namespace {

constexpr size_t kLanes = 16;

size_t PaddedDim(const AttentionShape& shape) {
  return (shape.head_dim + kLanes - 1) / kLanes * kLanes;
}

size_t KvHeadFloats(const AttentionShape& shape) {
  return kKvBlockTokens * (shape.head_dim + PaddedDim(shape));
}

size_t KeyIndex(const AttentionShape& shape, size_t slot, size_t d) {
  return (slot / kLanes * shape.head_dim + d) * kLanes + slot % kLanes;
}

size_t ValueIndex(const AttentionShape& shape, size_t slot, size_t d) {
  return kKvBlockTokens * shape.head_dim + (d / kLanes * kKvBlockTokens + slot) * kLanes +
         d % kLanes;
}

// Softmax attention of one query head over tokens [0, visible); key(t, d) and value(t, d) read
// them.
template <typename Key, typename Value>
void AttendHead(size_t head_dim, const float* q, size_t visible, Key key, Value value,
                float* scores, float* out) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
  float largest = -INFINITY;
  for (size_t t = 0; t < visible; ++t) {
    double dot = 0;
    for (size_t d = 0; d < head_dim; ++d) dot += double{q[d]} * double{key(t, d)};
    scores[t] = static_cast<float>(dot * scale);
    largest = std::max(largest, scores[t]);
  }
  double sum = 0;
  for (size_t t = 0; t < visible; ++t) {
    scores[t] = std::exp(scores[t] - largest);
    sum += double{scores[t]};
  }
  for (size_t d = 0; d < head_dim; ++d) {
    double total = 0;
    for (size_t t = 0; t < visible; ++t) total += double{scores[t]} * double{value(t, d)};
    out[d] = static_cast<float>(total / sum);
  }
}

constexpr size_t kMaxTokens = 65536;

}  // namespace

size_t KvBlockFloats(const AttentionShape& shape) { return shape.kv_heads * KvHeadFloats(shape); }

void StoreKv(const AttentionShape& shape, const float* k, const float* v, float* block,
             size_t slot) noexcept {
  for (size_t g = 0; g < shape.kv_heads; ++g) {
    float* head = block + g * KvHeadFloats(shape);
    for (size_t d = 0; d < shape.head_dim; ++d) {
      head[KeyIndex(shape, slot, d)] = k[g * shape.head_dim + d];
      head[ValueIndex(shape, slot, d)] = v[g * shape.head_dim + d];
    }
  }
}

AttentionScratch::AttentionScratch(const AttentionShape&, size_t max_full_rows, int num_threads)
    : buffer_(static_cast<size_t>(num_threads) * kMaxTokens * sizeof(float)),
      max_full_rows_(max_full_rows) {}

void CausalAttention(const AttentionShape& shape, std::span<const CausalSegment> segments,
                     AttentionScratch& scratch, ThreadPool& pool) noexcept {
  for (const CausalSegment& segment : segments) {
    pool.ForEach(segment.q.rows() * shape.heads, [&](size_t task, int worker) {
      const size_t r = task / shape.heads;
      const size_t h = task % shape.heads;
      const size_t head_offset = h / (shape.heads / shape.kv_heads) * KvHeadFloats(shape);
      const auto block = [&](size_t t) { return segment.blocks[t / kKvBlockTokens] + head_offset; };
      AttendHead(
          shape.head_dim, segment.q.Row(r) + h * shape.head_dim, segment.first_token + r + 1,
          [&](size_t t, size_t d) { return block(t)[KeyIndex(shape, t % kKvBlockTokens, d)]; },
          [&](size_t t, size_t d) { return block(t)[ValueIndex(shape, t % kKvBlockTokens, d)]; },
          scratch.data() + static_cast<size_t>(worker) * kMaxTokens,
          segment.out.Row(r) + h * shape.head_dim);
    });
  }
}

void FullAttention(const AttentionShape& shape, MatView<const float> q, MatView<const float> k,
                   MatView<const float> v, MatView<float> out, AttentionScratch& scratch,
                   ThreadPool& pool) noexcept {
  pool.ForEach(q.rows() * shape.heads, [&](size_t task, int worker) {
    const size_t r = task / shape.heads;
    const size_t column = task % shape.heads * shape.head_dim;
    AttendHead(
        shape.head_dim, q.Row(r) + column, k.rows(),
        [&](size_t t, size_t d) { return k(t, column + d); },
        [&](size_t t, size_t d) { return v(t, column + d); },
        scratch.data() + static_cast<size_t>(worker) * kMaxTokens, out.Row(r) + column);
  });
}

}  // namespace ocelli
