#ifndef OCELLI_KERNELS_ATTENTION_ROWS_H_
#define OCELLI_KERNELS_ATTENTION_ROWS_H_

#include <cstddef>

#include "base/aligned_buffer.h"
#include "kernels/kv_block.h"
#include "tensor/mat.h"

// The arithmetic of attention for one block of query rows and one kv head: what CausalAttention and
// FullAttention hand out to threads.
namespace ocelli {

// Tokens between two rescalings of the online softmax, counted from token 0 of the sequence: the
// weighted values of a step are a chain of multiply-adds from zero, steps are added in order.
inline constexpr size_t kSoftmaxStepTokens = 128;

// Query rows (token and head) of one task at most, unless one token has more heads than that.
// Enough to reuse a step's keys and values from the first-level cache; a multiple of every tile
// height.
inline constexpr size_t kAttentionBlockRows = 96;

// The KV blocks of one head: a list of blocks, or blocks one behind the other.
struct KvHeadBlocks {
  KvType type = KvType::kFloat32;
  const void* const* list = nullptr;  // null: contiguous
  const void* first = nullptr;
  size_t offset = 0;         // numbers from the start of a block to this head
  size_t block_numbers = 0;  // from one contiguous block to the next

  // Returns this head's part of block `i`; `Number` is that of `type`.
  template <typename Number>
  const Number* Block(size_t i) const {
    if (list != nullptr) return static_cast<const Number*>(list[i]) + offset;
    return static_cast<const Number*>(first) + i * block_numbers + offset;
  }
};

struct AttentionRows {
  size_t head_dim = 0;
  MatView<const float> q;    // [tokens, group * head_dim], the query heads of one kv head
  MatView<float> out;        // [tokens, group * head_dim]; may be q
  KvHeadBlocks kv;           // enough blocks for what the last token sees
  size_t first_visible = 0;  // tokens that the first query token sees, at least 1
  size_t more_visible = 0;   // how many more each next one sees: 1 causal, 0 full
};

// A row of one head is too short for the processor to notice that rows are read in order: packing
// asks for the row that it needs this many rows later.
inline constexpr size_t kRowsAhead = 8;
inline void PrefetchRow(const float* row, size_t count) {
  for (size_t i = 0; i < count; i += kCacheLineBytes / sizeof(float)) __builtin_prefetch(row + i);
}

// Query tokens of one task: as many as fill kAttentionBlockRows.
size_t AttentionBlockTokens(const AttentionShape& shape);

// Returns the working memory of AttendRows in floats.
size_t AttentionRowsScratchFloats(const AttentionShape& shape);

// out = softmax(q K^T / sqrt(head_dim)) V. A row's result depends on that row and what it sees
// only; AVX2 and AVX-512 give the same bits. **Shapes**: at most AttentionBlockTokens(shape) query
// tokens.
void AttendRows(const AttentionRows& rows, float* scratch) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_ATTENTION_ROWS_H_
