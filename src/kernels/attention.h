#ifndef OCELLI_KERNELS_ATTENTION_H_
#define OCELLI_KERNELS_ATTENTION_H_

#include <cstddef>
#include <span>

#include "base/aligned_buffer.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// Tokens per KV block: the unit of memory, of sharing, and of the online softmax.
inline constexpr size_t kKvBlockTokens = 32;

// The sizes of grouped-query attention: query head h reads key/value head h / (heads / kv_heads).
struct AttentionShape {
  size_t heads = 0;
  size_t kv_heads = 0;
  size_t head_dim = 0;
};

// Keys and values of kKvBlockTokens consecutive tokens in one layer, float32, in panels, so that one
// vector lane is one output of q K^T (a token) and of p V (a channel):
//
//   kv head 0: K [T/16][D][16 tokens]  V [D16/16][T][16 channels]   D = head_dim, T = kKvBlockTokens,
//   kv head 1: ...                                                  D16 = D rounded up to 16
//
// Returns the floats of one block: kv_heads * T * (D + D16).
size_t KvBlockFloats(const AttentionShape& shape);

// Writes the key and value of one token to slot `slot` (< kKvBlockTokens) of `block`.
// **Shapes**: k, v [kv_heads * head_dim] each.
void StoreKv(const AttentionShape& shape, const float* k, const float* v, float* block,
             size_t slot) noexcept;

// Consecutive new tokens of one sequence: row r is token first_token + r and attends to tokens
// 0 .. first_token + r. Their keys and values are already in `blocks`.
struct CausalSegment {
  MatView<const float> q;                // [rows, heads * head_dim]
  MatView<float> out;                    // [rows, heads * head_dim]
  std::span<const float* const> blocks;  // this layer's KV blocks in token order
  size_t first_token = 0;
};

// Working memory of attention, planned once.
class AttentionScratch {
 public:
  // `max_full_rows` is the largest n of FullAttention (0 when it is not used). Causal attention
  // needs the same whatever the context length.
  AttentionScratch(const AttentionShape& shape, size_t max_full_rows, int num_threads);
  float* data() { return reinterpret_cast<float*>(buffer_.data()); }
  size_t size_bytes() const { return buffer_.size_bytes(); }
  size_t max_full_rows() const { return max_full_rows_; }

 private:
  AlignedBuffer buffer_;
  size_t max_full_rows_;
};

// out = softmax(q K^T / sqrt(head_dim)) V, causal, for rows of several sequences. Walks KV blocks in
// order with an online softmax, so no row of scores longer than a block exists; a row's result does
// not depend on the other rows, on how its prompt was cut in chunks, or on the thread count.
void CausalAttention(const AttentionShape& shape, std::span<const CausalSegment> segments,
                     AttentionScratch& scratch, ThreadPool& pool) noexcept;

// The same for one picture: every row attends to every row; heads == kv_heads.
// **Shapes**: q, k, v, out [n, heads * head_dim], n <= scratch.max_full_rows(); `out` may be `q`'s
// memory only if it is not read again.
void FullAttention(const AttentionShape& shape, MatView<const float> q, MatView<const float> k,
                   MatView<const float> v, MatView<float> out, AttentionScratch& scratch,
                   ThreadPool& pool) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_ATTENTION_H_
