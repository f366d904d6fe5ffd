#ifndef OCELLI_KERNELS_REFERENCE_ATTENTION_REFERENCE_H_
#define OCELLI_KERNELS_REFERENCE_ATTENTION_REFERENCE_H_

#include <cstddef>

#include "tensor/mat.h"

namespace ocelli::reference {

// The definition of attention in double precision: for query row r and head h,
//
//   score[t] = q[r, h] . k[t, g] / sqrt(head_dim)   g = h / (heads / kv_heads), t in the visible
//   set out[r, h] = sum_t softmax(score)[t] * v[t, g]
//
// Row r sees tokens 0 .. first_token + r of k and v.
// **Shapes**: q, out [rows, heads * head_dim]; k, v [at least first_token + rows, kv_heads *
// head_dim], row-major by token. **Ref**: eager_attention_forward.
void CausalAttention(size_t heads, size_t kv_heads, size_t head_dim, size_t first_token,
                     MatView<const float> q, MatView<const float> k, MatView<const float> v,
                     MatView<double> out);

// The same where every row sees all rows of k and v. **Shapes**: q, k, v, out [n, heads *
// head_dim].
void FullAttention(size_t heads, size_t head_dim, MatView<const float> q, MatView<const float> k,
                   MatView<const float> v, MatView<double> out);

}  // namespace ocelli::reference

#endif  // OCELLI_KERNELS_REFERENCE_ATTENTION_REFERENCE_H_
