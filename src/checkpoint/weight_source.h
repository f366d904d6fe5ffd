#ifndef OCELLI_CHECKPOINT_WEIGHT_SOURCE_H_
#define OCELLI_CHECKPOINT_WEIGHT_SOURCE_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.h"
#include "checkpoint/model_config.h"
#include "tensor/tensor_view.h"

namespace ocelli {

// Where a model's weights come from, one tensor at a time: ask, copy, release, so that a model
// being loaded needs little more memory than the finished one.
class WeightSource {
 public:
  virtual ~WeightSource() = default;

  virtual const ModelConfig& config() const = 0;

  // Returns the tensor called `name`, which is a name of ExpectedTensors, for example
  // "model.language_model.layers.0.mlp.up_proj.weight". The bytes stay valid until Release.
  // **Errors**: kNotFound when it is missing; kCorruptData when its shape is not `shape`;
  // kUnsupported when its number format is not bf16, f16 or f32.
  // **Threads**: one caller at a time.
  virtual Result<TensorView> Tensor(std::string_view name, std::span<const size_t> shape) = 0;

  // Gives back the memory of `tensor`, which Tensor() returned and which is not read again.
  virtual void Release(const TensorView& tensor) = 0;
};

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_WEIGHT_SOURCE_H_
