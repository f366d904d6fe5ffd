#include "kernels/linear.h"

#include <algorithm>
#include <utility>

#include "base/bf16.h"
#include "base/check.h"
#include "base/rounding.h"
#include "kernels/linear_kernels.h"
#include "kernels/targets.h"
#include "kernels/transpose.h"

namespace ocelli {
namespace {

// Rows packed at once; more rows are done in turns. Bounds the scratch at 24 MiB for K = 6144.
constexpr size_t kMaxPackedRows = 1024;
// Most panels of one task: its totals take as much of the L2 cache as a sum block of its inputs.
constexpr size_t kTaskPanels = 8;
// Tasks per thread below which tasks get fewer panels, so that no thread waits long for the last.
constexpr size_t kTasksPerThread = 4;
// Sum blocks that one task packs: 4 KiB of each row.
constexpr size_t kPackBlocks = 8;
// Weights of one task of the streaming path: large beside what a thread prefetches in vain.
constexpr size_t kStreamTaskBytes = size_t{512} << 10;

constexpr size_t kWidenedFloats = kMaxTilePanels * kSumBlockInputs * kPanelRows;
constexpr size_t kTotalsFloats = kMaxTaskRows * kTaskPanels * kPanelRows;
constexpr size_t kThreadFloats = kWidenedFloats + kTotalsFloats;

// Cuts `count` in the fewest parts of at most `most`, all equal or one less.
class EvenCut {
 public:
  EvenCut(size_t count, size_t most) : count_(count), parts_(DivideUp(count, most)) {}
  size_t parts() const { return parts_; }
  size_t Begin(size_t part) const { return count_ * part / parts_; }
  size_t Size(size_t part) const { return Begin(part + 1) - Begin(part); }

 private:
  size_t count_;
  size_t parts_;
};

// Copies rows [row, row + rows) and inputs [begin, end) of `x` to `out` [end - begin, rows].
void PackTile(const MatView<const float>& x, size_t row, size_t rows, size_t begin, size_t end,
              float* out) {
  constexpr size_t kSide = kSquare<float>;
  const float* in = x.Row(row) + begin;
  const size_t count = end - begin;
  const size_t transposed = rows < kSide ? 0 : count / kSide * kSide;
  for (size_t r = 0; r < rows && transposed > 0; r += kSide) {
    const size_t first = std::min(r, rows - kSide);  // the last rows may be done twice
    for (size_t k = 0; k < transposed; k += kSide) {
      TransposeSquare(in + first * x.stride() + k, x.stride(), out + k * rows + first, rows);
    }
  }
  for (size_t k = transposed; k < count; ++k) {
    for (size_t r = 0; r < rows; ++r) out[k * rows + r] = in[r * x.stride() + k];
  }
}

// One call of Linear, or a turn of it: the operands and how the work is cut.
struct LinearJob {
  MatView<const float> x;
  const PackedMatrix& w;
  const float* bias;
  MatView<float> y;
  bool add;
  const LinearKernels& kernels;
  float* packed;  // x as [K blocks][tiles][inputs][rows], or [tiles][K][rows] when streaming
  float* thread_buffers;

  // Stores outputs [16 * panel, 16 * panel + width) of one row.
  void Finish(const float* totals, size_t row, size_t panel, size_t width) const {
    const size_t n = panel * kPanelRows;
    const size_t count = std::min(width, w.num_outputs() - n);
    kernels.finish(totals, bias == nullptr ? nullptr : bias + n, count, add, y.Row(row) + n);
  }
};

// ---- Few rows: every panel is read once, from memory, for all rows of a tile.

void StreamPanel(const LinearJob& job, const EvenCut& tiles, size_t panel) {
  alignas(kCacheLineBytes) float totals[kMaxTileRows * kPanelRows];
  const auto& sum_panel = job.kernels.sum_panel[static_cast<size_t>(job.w.format())];
  for (size_t t = 0; t < tiles.parts(); ++t) {
    const size_t begin = tiles.Begin(t);
    const size_t rows = tiles.Size(t);
    sum_panel[rows](job.packed + begin * job.w.num_inputs(), job.w.Panel(panel), job.w.num_inputs(),
                    totals);
    for (size_t r = 0; r < rows; ++r) {
      job.Finish(totals + r * kPanelRows, begin + r, panel, kPanelRows);
    }
  }
}

void StreamRows(LinearJob job, ThreadPool& pool) {
  const size_t num_inputs = job.w.num_inputs();
  const EvenCut tiles(job.x.rows(), job.kernels.stream_tile_rows);
  // One row is its own tile; the kernels only read it.
  if (job.x.rows() == 1) {
    job.packed = const_cast<float*>(job.x.data());
  } else {
    pool.ForRanges(num_inputs, kSumBlockInputs, [&](size_t begin, size_t end, int) {
      for (size_t t = 0; t < tiles.parts(); ++t) {
        const size_t rows = tiles.Size(t);
        PackTile(job.x, tiles.Begin(t), rows, begin, end,
                 job.packed + tiles.Begin(t) * num_inputs + begin * rows);
      }
    });
  }
  const size_t panel_bytes = job.w.panel_bytes();
  const size_t threads = static_cast<size_t>(pool.num_threads());
  const size_t most = std::min(DivideUp(kStreamTaskBytes, panel_bytes),
                               DivideUp(job.w.num_panels(), kTasksPerThread * threads));
  const EvenCut tasks(job.w.num_panels(), most);
  pool.ForEach(tasks.parts(), [&](size_t task, int) {
    for (size_t p = tasks.Begin(task); p < tasks.Begin(task + 1); ++p) StreamPanel(job, tiles, p);
  });
}

// ---- Many rows: blocks of x stay in the L2 cache, a block of one or two panels in L1.

// The cut of one turn: tiles of rows, blocks of inputs.
struct Blocking {
  EvenCut tiles;
  size_t rows;
  size_t num_inputs;

  size_t num_blocks() const { return DivideUp(num_inputs, kSumBlockInputs); }
  size_t BlockInputs(size_t block) const {
    return std::min(kSumBlockInputs, num_inputs - block * kSumBlockInputs);
  }
  // Where the packed inputs of a tile begin.
  size_t Offset(size_t block, size_t tile) const {
    return block * kSumBlockInputs * rows + tiles.Begin(tile) * BlockInputs(block);
  }
};

// Tiles [first_tile, end_tile) times panels [first_panel, end_panel).
struct Task {
  size_t first_tile, end_tile, first_panel, end_panel;
};

BlockWeights ReadBlock(const LinearJob& job, const Blocking& blocking, size_t block, size_t panel,
                       float* widened) {
  const size_t panels = std::min(job.kernels.tile_panels, job.w.num_panels() - panel);
  const size_t first_line = block * kSumBlockInputs;
  BlockWeights weights;
  for (size_t p = 0; p < job.kernels.tile_panels; ++p) {
    weights.escapes[p] = EscapesOf(job.w.Panel(panel + std::min(p, panels - 1)), block);
  }
  if (job.w.format() == WeightFormat::kFloat32) {
    const auto* lines = reinterpret_cast<const float*>(job.w.Panel(panel).lines);
    weights.lines = lines + first_line * kPanelRows;
    weights.panel_stride = panels == 1 ? 0 : job.w.num_inputs() * kPanelRows;
    return weights;
  }
  const auto widen = job.kernels.widen[static_cast<size_t>(job.w.format())];
  for (size_t p = 0; p < panels; ++p) {
    widen(job.w.Panel(panel + p), first_line, blocking.BlockInputs(block),
          widened + p * kSumBlockInputs * kPanelRows);
  }
  weights.lines = widened;
  weights.panel_stride = panels == 1 ? 0 : kSumBlockInputs * kPanelRows;
  return weights;
}

// Returns what to ask for while tile `tile` of `tiles` is computed: its share of block `block` of
// the panels at `panel`; nothing when there is no such block.
WeightsAhead Ahead(const LinearJob& job, const Blocking& blocking, size_t block, size_t panel,
                   size_t tile, size_t tiles) {
  const std::byte* lines = job.w.Panel(panel).lines;
  WeightsAhead ahead{reinterpret_cast<uintptr_t>(lines), 0, 0};
  const size_t share = DivideUp(job.w.line_bytes(), tiles);
  if (block >= blocking.num_blocks() || tile * share >= job.w.line_bytes()) return ahead;
  ahead.lines += (block * job.w.line_bytes() + tile * share) * kSumBlockInputs;
  ahead.panel_stride = panel + 1 < job.w.num_panels() ? job.w.panel_bytes() : 0;
  ahead.step = share;
  return ahead;
}

void RunTask(const LinearJob& job, const Blocking& blocking, const Task& task, float* buffer) {
  const size_t tile_panels = job.kernels.tile_panels;
  const size_t width = tile_panels * kPanelRows;
  float* widened = buffer;
  float* all_totals = buffer + kWidenedFloats;
  const size_t first_row = blocking.tiles.Begin(task.first_tile);
  const size_t task_rows = blocking.tiles.Begin(task.end_tile) - first_row;
  for (size_t block = 0; block < blocking.num_blocks(); ++block) {
    float* totals = all_totals;
    for (size_t panel = task.first_panel; panel < task.end_panel; panel += tile_panels) {
      const BlockWeights weights = ReadBlock(job, blocking, block, panel, widened);
      const bool last = panel + tile_panels >= task.end_panel;
      const size_t next_block = last ? block + 1 : block;
      const size_t next_panel = last ? task.first_panel : panel + tile_panels;
      for (size_t tile = task.first_tile; tile < task.end_tile; ++tile) {
        const size_t rows = blocking.tiles.Size(tile);
        job.kernels.sum_block[rows](job.packed + blocking.Offset(block, tile), weights,
                                    blocking.BlockInputs(block), block == 0,
                                    Ahead(job, blocking, next_block, next_panel,
                                          tile - task.first_tile, task.end_tile - task.first_tile),
                                    totals);
        totals += rows * width;
      }
    }
  }
  const float* totals = all_totals;
  for (size_t panel = task.first_panel; panel < task.end_panel; panel += tile_panels) {
    for (size_t r = 0; r < task_rows; ++r, totals += width) {
      job.Finish(totals, first_row + r, panel, width);
    }
  }
}

// Packs the rows of a turn. A task reads whole pages of a few rows, which suits the prefetchers.
void PackRows(const LinearJob& job, const Blocking& blocking, ThreadPool& pool) {
  const EvenCut spans(blocking.num_blocks(), kPackBlocks);
  pool.ForEach(blocking.tiles.parts() * spans.parts(), [&](size_t task, int) {
    const size_t tile = task / spans.parts(), span = task % spans.parts();
    for (size_t block = spans.Begin(span); block < spans.Begin(span + 1); ++block) {
      const size_t begin = block * kSumBlockInputs;
      PackTile(job.x, blocking.tiles.Begin(tile), blocking.tiles.Size(tile), begin,
               begin + blocking.BlockInputs(block), job.packed + blocking.Offset(block, tile));
    }
  });
}

void MultiplyRows(const LinearJob& job, ThreadPool& pool) {
  const size_t tile_panels = job.kernels.tile_panels;
  const Blocking blocking{EvenCut(job.x.rows(), job.kernels.tile_rows), job.x.rows(),
                          job.w.num_inputs()};
  PackRows(job, blocking, pool);
  const EvenCut row_cut(blocking.tiles.parts(), job.kernels.task_rows / job.kernels.tile_rows);
  const size_t groups = DivideUp(job.w.num_panels(), tile_panels);
  const size_t wanted = kTasksPerThread * static_cast<size_t>(pool.num_threads());
  const size_t most =
      std::min(kTaskPanels / tile_panels, DivideUp(groups * row_cut.parts(), wanted));
  const EvenCut group_cut(groups, most);
  pool.ForEach(row_cut.parts() * group_cut.parts(), [&](size_t i, int worker) {
    const size_t part = i / group_cut.parts(), group = i % group_cut.parts();
    const Task task{row_cut.Begin(part), row_cut.Begin(part + 1),
                    group_cut.Begin(group) * tile_panels,
                    std::min(group_cut.Begin(group + 1) * tile_panels, job.w.num_panels())};
    RunTask(job, blocking, task, job.thread_buffers + static_cast<size_t>(worker) * kThreadFloats);
  });
}

}  // namespace

size_t LinearScratch::BytesFor(size_t max_rows, size_t max_inputs, int num_threads) {
  const size_t threads_floats = static_cast<size_t>(num_threads) * kThreadFloats;
  const size_t packed_floats = std::min(max_rows, kMaxPackedRows) * max_inputs;
  return (threads_floats + packed_floats) * sizeof(float);
}

LinearScratch::LinearScratch(size_t max_rows, size_t max_inputs, int num_threads)
    : buffer_(BytesFor(max_rows, max_inputs, num_threads)),
      max_rows_(max_rows),
      max_inputs_(max_inputs),
      num_threads_(num_threads) {}

WeightFormat FastestWeightFormat() noexcept {
  return ActiveTarget() == Target::kScalar ? WeightFormat::kBf16 : WeightFormat::kPacked12;
}

WeightFormat WeightFormatNamed(std::string_view name) noexcept {
  for (const WeightFormat format :
       {WeightFormat::kBf16, WeightFormat::kFloat32, WeightFormat::kPacked12}) {
    if (name == WeightFormatName(format)) return format;
  }
  return FastestWeightFormat();
}

void Linear(MatView<const float> x, const PackedMatrix& w, const float* bias, MatView<float> y,
            LinearMode mode, LinearScratch& scratch, ThreadPool& pool) noexcept {
  OCELLI_CHECK(x.cols() == w.num_inputs() && y.cols() == w.num_outputs() && x.rows() == y.rows(),
               "x [{}, {}] times w [{}, {}] into y [{}, {}]", x.rows(), x.cols(), w.num_outputs(),
               w.num_inputs(), y.rows(), y.cols());
  OCELLI_CHECK(x.rows() <= scratch.max_rows() && x.cols() <= scratch.max_inputs(),
               "x [{}, {}] of at most [{}, {}]", x.rows(), x.cols(), scratch.max_rows(),
               scratch.max_inputs());
  OCELLI_CHECK(pool.num_threads() <= scratch.num_threads(), "{} threads of at most {}",
               pool.num_threads(), scratch.num_threads());
  const LinearKernels& kernels = ActiveLinearKernels();
  const size_t threads_floats = static_cast<size_t>(scratch.num_threads()) * kThreadFloats;
  const EvenCut turns(x.rows(), kMaxPackedRows);
  for (size_t turn = 0; turn < turns.parts(); ++turn) {
    const size_t begin = turns.Begin(turn), rows = turns.Size(turn);
    const LinearJob job{x.Rows(begin, rows),
                        w,
                        bias,
                        y.Rows(begin, rows),
                        mode == LinearMode::kAdd,
                        kernels,
                        scratch.data() + threads_floats,
                        scratch.data()};
    if (rows <= kernels.stream_rows[static_cast<size_t>(w.format())]) {
      StreamRows(job, pool);
    } else {
      MultiplyRows(job, pool);
    }
  }
}

}  // namespace ocelli
