#ifndef OCELLI_CHECKPOINT_FP8_H_
#define OCELLI_CHECKPOINT_FP8_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/tensor_view.h"

namespace ocelli {

// Rows and columns of a weight matrix that share one scale.
struct Fp8Blocks {
  size_t rows = 0;
  size_t cols = 0;
};

// Returns the value of a float8_e4m3fn number: sign, 4 bits of exponent with bias 7, 3 of mantissa;
// no infinities, 0x7f and 0xff are NaN. Exact.
float Fp8ToFloat(uint8_t bits);

// Multiplies each number of a block by the block's scale, which is what the model's maker rounded
// to 8 bits: w = fp8 * weight_scale_inv. Exact when scales are bf16 (4 and 8 significant bits fit
// float32), else rounded once, to the nearest. **Shapes**: weights [rows, cols] bytes, scales
// [ceil(rows / blocks.rows), ceil(cols / blocks.cols)], out [rows, cols].
// **Ref**: transformers' Fp8Dequantize, and the model card of the FP8 releases of Qwen3-VL.
void DequantizeFp8(std::span<const std::byte> weights, size_t rows, size_t cols,
                   const TensorView& scales, Fp8Blocks blocks, std::span<float> out);

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_FP8_H_
