#ifndef OCELLI_KERNELS_LINEAR_KERNELS_H_
#define OCELLI_KERNELS_LINEAR_KERNELS_H_

#include <cstddef>

#include "kernels/packed_matrix.h"

namespace ocelli {

// The largest tile of any target, for buffers on the stack.
inline constexpr size_t kMaxTileRows = 16;
inline constexpr size_t kMaxTilePanels = 2;
inline constexpr size_t kMaxTaskRows = 512;

// Weights of one panel and sum block that are not in its stream (packed12.h).
struct BlockEscapes {
  const Escape* first = nullptr;
  size_t count = 0;
};

// Returns the escapes of one sum block of `panel`; none in formats without.
inline BlockEscapes EscapesOf(const PanelView& panel, size_t block) {
  if (panel.block_begins == nullptr) return {};
  const uint32_t begin = panel.block_begins[block];
  return {panel.escapes + begin, panel.block_begins[block + 1] - begin};
}

// The weights of one sum block of the panels that sum_block works on at once.
struct BlockWeights {
  const float* lines = nullptr;  // [tile_panels] times [num_inputs, 16]
  size_t panel_stride = 0;       // floats; 0: the last panel stands alone and is computed twice
  BlockEscapes escapes[kMaxTilePanels];
};

// Weights that are wanted soon, asked for a little at each input so that they come from memory
// while others are multiplied. Addresses, not pointers: they may run past the last weight.
struct WeightsAhead {
  uintptr_t lines = 0;
  size_t panel_stride = 0;  // bytes
  size_t step = 0;          // bytes an input; 0: nothing is wanted
};

// The inner loops of Linear for one target. A "tile" of x is [K][rows]: the rows of one input lie
// side by side, which for one row is the row itself. Tables are indexed by the weight format and by
// the tile's rows.
struct LinearKernels {
  // Adds one sum block to the running totals, or starts them when `first`.
  // **Shapes**: x [num_inputs, rows], totals [rows, tile_panels * 16];
  // num_inputs <= kSumBlockInputs.
  using SumBlockFn = void (*)(const float* x, const BlockWeights& w, size_t num_inputs, bool first,
                              const WeightsAhead& ahead, float* totals);
  // Sums all blocks of one panel, reading its weights once and in order.
  // **Shapes**: x [num_inputs, rows], totals [rows, 16].
  using SumPanelFn = void (*)(const float* x, const PanelView& panel, size_t num_inputs,
                              float* totals);
  // Widens lines [first, first + count) of a panel; escapes come out as 0. `first` is a multiple of
  // 8. **Shapes**: out [count, 16].
  using WidenFn = void (*)(const PanelView& panel, size_t first, size_t count, float* out);
  // Adds the bias (null: none) and what was there before (`add`), and stores one row of outputs.
  // **Shapes**: totals, bias, y [count].
  using FinishFn = void (*)(const float* totals, const float* bias, size_t count, bool add,
                            float* y);

  size_t tile_rows = 0;         // most rows of a tile of sum_block
  size_t tile_panels = 0;       // panels that sum_block works on at once
  size_t task_rows = 0;         // of many: one sum block of their inputs stays in the L2 cache
  size_t stream_tile_rows = 0;  // most rows of a tile of sum_panel
  // Up to this many rows (of several tiles) sum_panel is the faster way.
  size_t stream_rows[kNumWeightFormats] = {};
  SumBlockFn sum_block[kMaxTileRows + 1] = {};
  SumPanelFn sum_panel[kNumWeightFormats][kMaxTileRows + 1] = {};
  WidenFn widen[kNumWeightFormats] = {};  // null for kFloat32: nothing to widen
  FinishFn finish = nullptr;
};

// Returns the inner loops of the active target (kernels/targets.h).
const LinearKernels& ActiveLinearKernels() noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_LINEAR_KERNELS_H_
