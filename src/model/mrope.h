#ifndef OCELLI_MODEL_MROPE_H_
#define OCELLI_MODEL_MROPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checkpoint/model_config.h"
#include "tensor/mat.h"

namespace ocelli {

// Where the image tokens of one picture stand in a prompt.
struct PictureSpan {
  size_t first_token = 0;
  size_t token_rows = 0;  // grid_h / spatial_merge_size
  size_t token_cols = 0;  // grid_w / spatial_merge_size

  size_t num_tokens() const { return token_rows * token_cols; }
};

// Rotary positions of one sequence on three axes (time, height, width). Text advances all three
// together; the tokens of a picture share one time and count rows and columns from it; what follows
// goes on after the longer side:
//
//   token       a  b  [picture 2x3     ]  c  d
//   time        0  1   2  2  2  2  2  2   5  6
//   height      0  1   2  2  2  3  3  3   5  6
//   width       0  1   2  3  4  2  3  4   5  6      rope_delta = 5 - 8 = -3
class RopeIndex {
 public:
  RopeIndex() = default;
  // **Shapes**: `pictures` in token order, not overlapping, inside the `num_tokens` of the prompt.
  // **Ref**: Qwen3VLModel.get_rope_index.
  RopeIndex(size_t num_tokens, std::span<const PictureSpan> pictures);

  size_t num_tokens() const { return num_tokens_; }
  // Token t at or past num_tokens() stands at t + rope_delta() on every axis.
  int32_t rope_delta() const { return rope_delta_; }

  // Writes the positions of tokens first_token, first_token + 1, ..., of the prompt or past it.
  // **Shapes**: out [3, count].
  void CopyTo(size_t first_token, MatView<int32_t> out) const;

 private:
  // Tokens [begin, next begin) are text (no columns) or a picture, starting at `position`.
  struct Run {
    size_t begin = 0;
    int32_t position = 0;
    size_t token_cols = 0;
  };
  void CopyRun(const Run& run, size_t first, size_t count, MatView<int32_t> out) const;

  size_t num_tokens_ = 0;
  int32_t rope_delta_ = 0;
  std::vector<Run> runs_{Run{}};  // the last one never ends
};

// The interleaved rotary embedding of the text decoder: pair i turns by
// position[axis(i)] * rope_theta^(-2i / head_dim), the axes taking turns: t h w t h w ... t t.
class TextRotaryEmbedding {
 public:
  explicit TextRotaryEmbedding(const TextConfig& config);

  // Writes the turns of tokens at the given positions.
  // **Shapes**: position_ids [3, n], cos, sin [n, head_dim / 2].
  // **Ref**: Qwen3VLTextRotaryEmbedding.forward; angles are float32 products as there.
  void CosSin(MatView<const int32_t> position_ids, MatView<float> cos,
              MatView<float> sin) const noexcept;

 private:
  struct Pair {
    float inv_freq = 0;
    uint32_t axis = 0;  // 0 time, 1 height, 2 width
  };
  std::vector<Pair> pairs_;  // [head_dim / 2]
};

// Returns rope_theta^(-2i / dim) as the reference rounds it: float32 exponent, power and quotient.
float InverseFrequency(double rope_theta, size_t i, size_t dim);

}  // namespace ocelli

#endif  // OCELLI_MODEL_MROPE_H_
