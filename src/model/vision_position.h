#ifndef OCELLI_MODEL_VISION_POSITION_H_
#define OCELLI_MODEL_VISION_POSITION_H_

#include <cstddef>

#include "checkpoint/model_config.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// The patches of one picture: grid_h x grid_w of them, both multiples of merge_size, listed token
// by token: the merge_size x merge_size patches of one token follow each other.
struct PatchGrid {
  size_t grid_h = 0;
  size_t grid_w = 0;
  size_t merge_size = 1;

  size_t num_patches() const { return grid_h * grid_w; }
  size_t num_tokens() const { return num_patches() / (merge_size * merge_size); }

  struct Coord {
    size_t row = 0;
    size_t col = 0;
  };
  // Returns where patch `index` of the list stands in the picture.
  Coord CoordOf(size_t index) const;
};

// Adds the learned position embeddings to `hidden`: the square grid of embeddings is stretched over
// the picture with aligned corners, and each patch takes the bilinear mean of the four nearest.
// **Shapes**: pos_embed [side * side, C], hidden [num_patches, C].
// **Threads**: uses `pool`. **Ref**: Qwen3VLVisionModel.fast_pos_embed_interpolate.
void AddPositionEmbeddings(MatView<const float> pos_embed, const PatchGrid& grid,
                           MatView<float> hidden, ThreadPool& pool) noexcept;

// The two-dimensional rotary embedding of the vision encoder: in each head the first half of the
// pairs turns by the patch's row, the second half by its column.
class VisionRotaryEmbedding {
 public:
  // Plans tables for grids of up to `max_side` patches a side.
  VisionRotaryEmbedding(const VisionConfig& config, size_t max_side);

  // Writes the turns of every patch. **Shapes**: cos, sin [num_patches, head_dim / 2].
  // **Ref**: Qwen3VLVisionModel.rot_pos_emb.
  void CosSin(const PatchGrid& grid, MatView<float> cos, MatView<float> sin) const noexcept;

  size_t max_side() const { return cos_.rows(); }

 private:
  Mat<float> cos_;  // [max_side, head_dim / 4]
  Mat<float> sin_;  // [max_side, head_dim / 4]
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_VISION_POSITION_H_
