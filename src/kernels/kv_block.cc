#include "kernels/kv_block.h"

#include <algorithm>

namespace ocelli {
namespace {

void Keep(float x, float& to) { to = x; }
void Keep(float x, Bf16& to) { to = RoundToBf16(x); }

}  // namespace

std::string_view KvTypeName(KvType type) { return type == KvType::kBf16 ? "bf16" : "float32"; }

size_t KvNumberBytes(KvType type) { return type == KvType::kBf16 ? sizeof(Bf16) : sizeof(float); }

size_t KvHeadNumbers(const AttentionShape& shape) {
  return kKvBlockTokens * (shape.head_dim + shape.padded_head_dim());
}

size_t KvBlockBytes(const AttentionShape& shape) {
  return shape.kv_heads * KvHeadNumbers(shape) * KvNumberBytes(shape.kv_type);
}

template <typename Number>
void StoreKvHead(const AttentionShape& shape, const float* k, const float* v, Number* head_block,
                 size_t slot) noexcept {
  const size_t head_dim = shape.head_dim;
  Number* key = head_block + slot / kKvPanelLanes * head_dim * kKvPanelLanes + slot % kKvPanelLanes;
  for (size_t d = 0; d < head_dim; ++d) Keep(k[d], key[d * kKvPanelLanes]);

  Number* value = head_block + kKvBlockTokens * head_dim + slot * kKvPanelLanes;
  for (size_t d = 0; d < head_dim; d += kKvPanelLanes, value += kKvBlockTokens * kKvPanelLanes) {
    const size_t count = std::min(kKvPanelLanes, head_dim - d);
    for (size_t lane = 0; lane < count; ++lane) Keep(v[d + lane], value[lane]);
    std::fill_n(value + count, kKvPanelLanes - count, Number{});
  }
}
template void StoreKvHead(const AttentionShape&, const float*, const float*, float*,
                          size_t) noexcept;
template void StoreKvHead(const AttentionShape&, const float*, const float*, Bf16*,
                          size_t) noexcept;

void StoreKv(const AttentionShape& shape, const float* k, const float* v, void* block,
             size_t slot) noexcept {
  const auto store = [&](auto* numbers) {
    for (size_t g = 0; g < shape.kv_heads; ++g) {
      StoreKvHead(shape, k + g * shape.head_dim, v + g * shape.head_dim,
                  numbers + g * KvHeadNumbers(shape), slot);
    }
  };
  if (shape.kv_type == KvType::kBf16) return store(static_cast<Bf16*>(block));
  store(static_cast<float*>(block));
}

}  // namespace ocelli
