#ifndef OCELLI_KERNELS_ELEMENTWISE_H_
#define OCELLI_KERNELS_ELEMENTWISE_H_

#include <cstddef>

#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// y = x / sqrt(mean(x^2) + eps) * weight, row by row; y may be x.
// **Shapes**: x, y [M, C], weight [C]. **Ref**: Qwen3VLTextRMSNorm.
void RmsNorm(MatView<const float> x, const float* weight, float eps, MatView<float> y,
             ThreadPool& pool) noexcept;

// y = (x - mean) / sqrt(var + eps) * weight + bias, row by row; y may be x.
// **Shapes**: x, y [M, C], weight, bias [C]. **Ref**: torch.nn.LayerNorm (biased variance).
void LayerNorm(MatView<const float> x, const float* weight, const float* bias, float eps,
               MatView<float> y, ThreadPool& pool) noexcept;

// Normalises each head by RMS and turns it by the rotary angles, in place: what a decoder layer does
// to q and to k. Pair (i, i + head_dim/2) turns by angle i. `norm_weight` null: rotation only.
// **Shapes**: x [M, heads * head_dim], norm_weight [head_dim], cos, sin [M, head_dim / 2].
// **Ref**: q_norm/k_norm and apply_rotary_pos_emb.
void NormRotateHeads(MatView<float> x, size_t head_dim, const float* norm_weight, float eps,
                     MatView<const float> cos, MatView<const float> sin, ThreadPool& pool) noexcept;

// gate = silu(gate) * up. **Shapes**: gate, up [M, C]; they may be column ranges of one matrix.
void SiluMul(MatView<float> gate, MatView<const float> up, ThreadPool& pool) noexcept;

// The two GELUs of Qwen3-VL: tanh form in the vision MLP, erf form in the patch mergers.
enum class GeluKind { kTanh, kErf };
// x = gelu(x), in place. **Shapes**: x [M, C].
void Gelu(MatView<float> x, GeluKind kind, ThreadPool& pool) noexcept;

// y = y + x. **Shapes**: x, y [M, C].
void AddTo(MatView<const float> x, MatView<float> y, ThreadPool& pool) noexcept;

}  // namespace ocelli

#endif  // OCELLI_KERNELS_ELEMENTWISE_H_
