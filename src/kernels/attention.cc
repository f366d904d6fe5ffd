#include "kernels/attention.h"

#include <algorithm>

#include "base/check.h"
#include "base/rounding.h"
#include "kernels/attention_rows.h"

namespace ocelli {
namespace {

// Heads whose keys and values FullAttention packs at a time: enough for four tasks a thread, so
// that the threads finish together, and no more, so that memory stays small.
size_t PackedHeads(const AttentionShape& shape, size_t n, int num_threads) {
  const size_t row_blocks = std::max<size_t>(1, DivideUp(n, kAttentionBlockRows));
  return std::min(shape.heads, DivideUp(4 * static_cast<size_t>(num_threads), row_blocks));
}

size_t PackedHeadFloats(const AttentionShape& shape, size_t n) {
  return DivideUp(n, kKvBlockTokens) * KvHeadNumbers(shape);
}

// Returns the most that any n <= max_rows needs to pack: fewer rows mean more heads at a time.
// Lengths within one KV block need the same, because kAttentionBlockRows is a multiple of it.
size_t MaxPackedFloats(const AttentionShape& shape, size_t max_rows, int num_threads) {
  static_assert(kAttentionBlockRows % kKvBlockTokens == 0);
  size_t most = 0;
  for (size_t n = 1; n <= max_rows; n += kKvBlockTokens) {
    most = std::max(most, PackedHeads(shape, n, num_threads) * PackedHeadFloats(shape, n));
  }
  return most;
}

size_t WorkerFloats(const AttentionShape& shape) {
  return RoundUp(AttentionRowsScratchFloats(shape), kCacheLineBytes / sizeof(float));
}

size_t SegmentTasks(const AttentionShape& shape, const CausalSegment& segment) {
  return DivideUp(segment.q.rows(), AttentionBlockTokens(shape)) * shape.kv_heads;
}

// Task `task` of a segment: kv head by kv head, and the last rows, which see most, first.
void AttendSegmentTask(const AttentionShape& shape, const CausalSegment& segment, size_t task,
                       float* scratch) {
  const size_t block_tokens = AttentionBlockTokens(shape);
  const size_t row_blocks = DivideUp(segment.q.rows(), block_tokens);
  const size_t kv_head = task / row_blocks;
  const size_t begin = (row_blocks - 1 - task % row_blocks) * block_tokens;
  const size_t count = std::min(block_tokens, segment.q.rows() - begin);
  const size_t columns = shape.group() * shape.head_dim;
  const AttentionRows rows = {
      .head_dim = shape.head_dim,
      .q = segment.q.Rows(begin, count).Cols(kv_head * columns, columns),
      .out = segment.out.Rows(begin, count).Cols(kv_head * columns, columns),
      .kv = {.type = shape.kv_type,
             .list = segment.blocks.data(),
             .offset = kv_head * KvHeadNumbers(shape)},
      .first_visible = segment.first_token + begin + 1,
      .more_visible = 1};
  AttendRows(rows, scratch);
}

// Packs tokens of one head into KV blocks one behind the other.
void PackHead(const AttentionShape& shape, MatView<const float> k, MatView<const float> v,
              size_t first_token, size_t count, float* packed) {
  for (size_t t = first_token; t < first_token + count; ++t) {
    const size_t ahead = std::min(t + kRowsAhead, k.rows() - 1);
    PrefetchRow(k.Row(ahead), shape.head_dim);
    PrefetchRow(v.Row(ahead), shape.head_dim);
    StoreKvHead(shape, k.Row(t), v.Row(t), packed + t / kKvBlockTokens * KvHeadNumbers(shape),
                t % kKvBlockTokens);
  }
}

}  // namespace

size_t AttentionScratch::BytesFor(const AttentionShape& shape, size_t max_full_rows,
                                  int num_threads) {
  return (static_cast<size_t>(num_threads) * WorkerFloats(shape) +
          MaxPackedFloats(shape, max_full_rows, num_threads)) *
         sizeof(float);
}

AttentionScratch::AttentionScratch(const AttentionShape& shape, size_t max_full_rows,
                                   int num_threads)
    : max_full_rows_(max_full_rows),
      num_threads_(num_threads),
      worker_floats_(WorkerFloats(shape)),
      buffer_(BytesFor(shape, max_full_rows, num_threads)) {}

void CausalAttention(const AttentionShape& shape, std::span<const CausalSegment> segments,
                     AttentionScratch& scratch, ThreadPool& pool) noexcept {
  size_t tasks = 0;
  for (const CausalSegment& segment : segments) tasks += SegmentTasks(shape, segment);
  pool.ForEach(tasks, [&](size_t task, int worker) {
    const CausalSegment* segment = segments.data();
    for (size_t own; task >= (own = SegmentTasks(shape, *segment)); ++segment) task -= own;
    AttendSegmentTask(shape, *segment, task, scratch.Worker(worker));
  });
}

void FullAttention(const AttentionShape& shape, MatView<const float> q, MatView<const float> k,
                   MatView<const float> v, MatView<float> out, AttentionScratch& scratch,
                   ThreadPool& pool) noexcept {
  const size_t n = q.rows();
  OCELLI_CHECK(shape.heads == shape.kv_heads && n <= scratch.max_full_rows(),
               "{} heads, {} kv heads, {} rows of {}", shape.heads, shape.kv_heads, n,
               scratch.max_full_rows());
  const size_t head_dim = shape.head_dim;
  const size_t row_blocks = DivideUp(n, kAttentionBlockRows);
  const size_t head_floats = PackedHeadFloats(shape, n);
  const size_t packed_heads = PackedHeads(shape, n, pool.num_threads());
  for (size_t first = 0; first < shape.heads; first += packed_heads) {
    const size_t tasks = std::min(packed_heads, shape.heads - first) * row_blocks;
    pool.ForEach(tasks, [&](size_t task, int) {
      const size_t column = (first + task / row_blocks) * head_dim;
      const size_t begin = task % row_blocks * kAttentionBlockRows;
      PackHead(shape, k.Cols(column, head_dim), v.Cols(column, head_dim), begin,
               std::min(kAttentionBlockRows, n - begin),
               scratch.Packed() + task / row_blocks * head_floats);
    });
    pool.ForEach(tasks, [&](size_t task, int worker) {
      const size_t column = (first + task / row_blocks) * head_dim;
      const size_t begin = task % row_blocks * kAttentionBlockRows;
      const size_t count = std::min(kAttentionBlockRows, n - begin);
      const AttentionRows rows = {
          .head_dim = head_dim,
          .q = q.Rows(begin, count).Cols(column, head_dim),
          .out = out.Rows(begin, count).Cols(column, head_dim),
          .kv = {.first = scratch.Packed() + task / row_blocks * head_floats,
                 .block_numbers = KvHeadNumbers(shape)},
          .first_visible = n,
          .more_visible = 0};
      AttendRows(rows, scratch.Worker(worker));
    });
  }
}

}  // namespace ocelli
