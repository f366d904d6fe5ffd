#ifndef OCELLI_KERNELS_ELEMENTWISE_H_
#define OCELLI_KERNELS_ELEMENTWISE_H_

#include "parallel/thread_pool.h"
#include "tensor/mat.h"

// Functions of single numbers. A result depends only on its own inputs. The activations are within
// a few units in the last place of the exact value for every input, denormal results included; NaN
// gives NaN, and -infinity gives the limit, 0.
// **Threads**: small work runs on the calling thread, large work on `pool`.
namespace ocelli {

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
