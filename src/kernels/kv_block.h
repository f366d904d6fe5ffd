#ifndef OCELLI_KERNELS_KV_BLOCK_H_
#define OCELLI_KERNELS_KV_BLOCK_H_

#include <cstddef>
#include <string_view>

#include "base/bf16.h"
#include "base/rounding.h"

namespace ocelli {

// Tokens per KV block: the unit of memory and of sharing.
inline constexpr size_t kKvBlockTokens = 32;

// Tokens (of K) and channels (of V) per panel.
inline constexpr size_t kKvPanelLanes = 16;

// How the numbers of a KV block are kept: as they are, or rounded to the nearest bfloat16 (ties to
// even), which halves the memory and is widened again to be computed with.
enum class KvType { kFloat32, kBf16 };
// Returns "float32" or "bf16".
std::string_view KvTypeName(KvType type);
// **Units**: bytes a number.
size_t KvNumberBytes(KvType type);

// The sizes of grouped-query attention: query head h reads key/value head h / (heads / kv_heads).
struct AttentionShape {
  size_t heads = 0;
  size_t kv_heads = 0;
  size_t head_dim = 0;
  KvType kv_type = KvType::kFloat32;  // of the KV blocks of causal attention

  size_t group() const { return heads / kv_heads; }  // query heads of one kv head
  size_t padded_head_dim() const {                   // D16
    return RoundUp(head_dim, kKvPanelLanes);
  }
};

// Keys and values of kKvBlockTokens consecutive tokens in one layer, in panels, so that one vector
// lane is one output of q K^T (a token) and of p V (a channel):
//
//   kv head 0: K [T/16][D][16 tokens]  V [D16/16][T][16 channels]
//   kv head 1: ...
//
// with T = kKvBlockTokens, D = head_dim and D16 = D rounded up to 16.
// Returns the memory of one block: kv_heads * T * (D + D16) numbers.
size_t KvBlockBytes(const AttentionShape& shape);

// Returns the numbers of one kv head of a block: T * (D + D16).
size_t KvHeadNumbers(const AttentionShape& shape);

// Writes the key and value of one token to slot `slot` (< kKvBlockTokens) of `block`, whose numbers
// are of shape.kv_type. **Shapes**: k, v [kv_heads * head_dim] each.
void StoreKv(const AttentionShape& shape, const float* k, const float* v, void* block,
             size_t slot) noexcept;

// The same for one head, whatever shape.kv_type: `head_block` is its part of a block of `Number`s
// (float or Bf16), k and v are [head_dim].
template <typename Number>
void StoreKvHead(const AttentionShape& shape, const float* k, const float* v, Number* head_block,
                 size_t slot) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_KV_BLOCK_H_
