#include "kernels/kv_block.h"

#include <algorithm>

namespace ocelli {

size_t KvHeadFloats(const AttentionShape& shape) {
  return kKvBlockTokens * (shape.head_dim + shape.padded_head_dim());
}

size_t KvBlockFloats(const AttentionShape& shape) { return shape.kv_heads * KvHeadFloats(shape); }

void StoreKvHead(const AttentionShape& shape, const float* k, const float* v, float* head_block,
                 size_t slot) noexcept {
  const size_t head_dim = shape.head_dim;
  float* key = head_block + slot / kKvPanelLanes * head_dim * kKvPanelLanes + slot % kKvPanelLanes;
  for (size_t d = 0; d < head_dim; ++d) key[d * kKvPanelLanes] = k[d];

  float* value = head_block + kKvBlockTokens * head_dim + slot * kKvPanelLanes;
  for (size_t d = 0; d < head_dim; d += kKvPanelLanes, value += kKvBlockTokens * kKvPanelLanes) {
    const size_t count = std::min(kKvPanelLanes, head_dim - d);
    std::fill(std::copy_n(v + d, count, value), value + kKvPanelLanes, 0.0f);
  }
}

void StoreKv(const AttentionShape& shape, const float* k, const float* v, float* block,
             size_t slot) noexcept {
  for (size_t g = 0; g < shape.kv_heads; ++g) {
    StoreKvHead(shape, k + g * shape.head_dim, v + g * shape.head_dim,
                block + g * KvHeadFloats(shape), slot);
  }
}

}  // namespace ocelli
