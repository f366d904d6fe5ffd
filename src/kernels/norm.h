#ifndef OCELLI_KERNELS_NORM_H_
#define OCELLI_KERNELS_NORM_H_

#include <cstddef>

#include "parallel/thread_pool.h"
#include "tensor/mat.h"

// Normalisation of rows and of heads. Sums run in 64 lanes that are added up in a fixed tree, so a
// row's result depends on that row only, and AVX2 and AVX-512 give the same bits.
// **Threads**: small work runs on the calling thread, large work on `pool`.
namespace ocelli {

// y = x / sqrt(mean(x^2) + eps) * weight, row by row; y may be x.
// **Shapes**: x, y [M, C], weight [C]. **Ref**: Qwen3VLTextRMSNorm.
void RmsNorm(MatView<const float> x, const float* weight, float eps, MatView<float> y,
             ThreadPool& pool) noexcept;

// y = (x - mean) / sqrt(var + eps) * weight + bias, row by row; y may be x. The rounding of the
// mean is corrected, so rows far from zero lose nothing.
// **Shapes**: x, y [M, C], weight, bias [C]. **Ref**: torch.nn.LayerNorm (biased variance).
void LayerNorm(MatView<const float> x, const float* weight, const float* bias, float eps,
               MatView<float> y, ThreadPool& pool) noexcept;

// Normalises each head by RMS and turns it by the rotary angles, in place: what a decoder layer
// does to q and to k. Pair (i, i + head_dim/2) turns by angle i. `norm_weight` null: rotation only.
// **Shapes**: x [M, heads * head_dim], norm_weight [head_dim], cos, sin [M, head_dim / 2].
// **Ref**: q_norm/k_norm and apply_rotary_pos_emb.
void NormRotateHeads(MatView<float> x, size_t head_dim, const float* norm_weight, float eps,
                     MatView<const float> cos, MatView<const float> sin, ThreadPool& pool) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_NORM_H_
