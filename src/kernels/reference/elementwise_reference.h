#ifndef OCELLI_KERNELS_REFERENCE_ELEMENTWISE_REFERENCE_H_
#define OCELLI_KERNELS_REFERENCE_ELEMENTWISE_REFERENCE_H_

#include <cstddef>

#include "tensor/mat.h"

// The definitions of kernels/elementwise.h in double precision; shapes are the same, results go to
// a matrix of doubles.
namespace ocelli::reference {

// y = x / sqrt(mean(x^2) + eps) * weight. **Ref**: Qwen3VLTextRMSNorm.
void RmsNorm(MatView<const float> x, const float* weight, double eps, MatView<double> y);

// y = (x - mean) / sqrt(var + eps) * weight + bias. **Ref**: torch.nn.LayerNorm.
void LayerNorm(MatView<const float> x, const float* weight, const float* bias, double eps,
               MatView<double> y);

// Each head of x: RMS norm (none when `norm_weight` is null), then the rotation of the pairs
// (i, i + head_dim/2) by the angles whose cosine and sine are given.
// **Ref**: q_norm/k_norm and apply_rotary_pos_emb.
void NormRotateHeads(MatView<const float> x, size_t head_dim, const float* norm_weight, double eps,
                     MatView<const float> cos, MatView<const float> sin, MatView<double> y);

// x * sigmoid(x). **Ref**: torch.nn.functional.silu.
double Silu(double x);

// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). **Ref**: gelu(approximate="tanh").
double GeluTanh(double x);

// 0.5 x (1 + erf(x / sqrt(2))). **Ref**: gelu(approximate="none").
double GeluErf(double x);

}  // namespace ocelli::reference

#endif  // OCELLI_KERNELS_REFERENCE_ELEMENTWISE_REFERENCE_H_
