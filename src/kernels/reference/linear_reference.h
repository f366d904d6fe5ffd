#ifndef OCELLI_KERNELS_REFERENCE_LINEAR_REFERENCE_H_
#define OCELLI_KERNELS_REFERENCE_LINEAR_REFERENCE_H_

#include "tensor/mat.h"

// The definition of kernels/linear.h in double precision.
namespace ocelli::reference {

// y = x W^T + bias; `bias` is null or [N]. **Shapes**: x [M, K], w [N, K], y [M, N].
void Linear(MatView<const float> x, MatView<const float> w, const float* bias, MatView<double> y);

// What rounding errors scale with: y = sum |x w| + |bias|. **Shapes**: as Linear.
void LinearMagnitude(MatView<const float> x, MatView<const float> w, const float* bias,
                     MatView<double> y);

}  // namespace ocelli::reference

#endif  // OCELLI_KERNELS_REFERENCE_LINEAR_REFERENCE_H_
