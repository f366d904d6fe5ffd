#ifndef OCELLI_KERNELS_ATTENTION_H_
#define OCELLI_KERNELS_ATTENTION_H_

#include <cstddef>
#include <span>

#include "base/aligned_buffer.h"
#include "kernels/kv_block.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// Consecutive new tokens of one sequence: row r is token first_token + r and attends to tokens
// 0 .. first_token + r. Their keys and values are already in `blocks`.
struct CausalSegment {
  MatView<const float> q;               // [rows, heads * head_dim]
  MatView<float> out;                   // [rows, heads * head_dim]; may be q
  std::span<const void* const> blocks;  // this layer's KV blocks in token order
  size_t first_token = 0;
};

// Working memory of attention, planned once.
class AttentionScratch {
 public:
  // `max_full_rows` is the largest n of FullAttention (0 when it is not used). Causal attention
  // needs the same whatever the context length.
  AttentionScratch(const AttentionShape& shape, size_t max_full_rows, int num_threads);

  // Returns the memory that such a scratch takes.
  static size_t BytesFor(const AttentionShape& shape, size_t max_full_rows, int num_threads);
  size_t max_full_rows() const { return max_full_rows_; }
  // Returns the memory of one thread, and that of packed keys and values.
  float* Worker(int worker) { return floats() + static_cast<size_t>(worker) * worker_floats_; }
  float* Packed() { return Worker(num_threads_); }

 private:
  float* floats() { return reinterpret_cast<float*>(buffer_.data()); }

  size_t max_full_rows_;
  int num_threads_;
  size_t worker_floats_;
  AlignedBuffer buffer_;
};

// out = softmax(q K^T / sqrt(head_dim)) V, causal, for rows of several sequences. Walks KV blocks
// in order with an online softmax, so no row of scores longer than kSoftmaxStepTokens exists; a
// row's result does not depend on the other rows, on how its prompt was cut in chunks, or on the
// thread count. What lies in a block behind the last token is never used, whatever its bits.
// **Threads**: uses `pool`; shares out kv heads and blocks of rows. **Ref**:
// eager_attention_forward.
void CausalAttention(const AttentionShape& shape, std::span<const CausalSegment> segments,
                     AttentionScratch& scratch, ThreadPool& pool) noexcept;

// The same for one picture: every row attends to every row; heads == kv_heads.
// **Shapes**: q, k, v, out [n, heads * head_dim], n <= scratch.max_full_rows(); `out` may be q.
// **Threads**: uses `pool`; shares out heads and blocks of rows.
void FullAttention(const AttentionShape& shape, MatView<const float> q, MatView<const float> k,
                   MatView<const float> v, MatView<float> out, AttentionScratch& scratch,
                   ThreadPool& pool) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_ATTENTION_H_
