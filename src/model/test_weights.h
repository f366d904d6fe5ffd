#ifndef OCELLI_MODEL_TEST_WEIGHTS_H_
#define OCELLI_MODEL_TEST_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/weight_source.h"

namespace ocelli {

// A small model with odd sizes, for tests.
ModelConfig SmallConfig();

// Random weights that tests can read and change: every tensor of `config`, kept as float32.
class TestWeights : public WeightSource {
 public:
  // Makes weights that are exactly bf16, or, when `exact_bf16` is false, have no such number.
  TestWeights(ModelConfig config, bool exact_bf16, uint32_t seed = 1);

  const ModelConfig& config() const override { return config_; }
  Result<TensorView> Tensor(std::string_view name, std::span<const size_t> shape) override;
  void Release(const TensorView& tensor) override;

  // Returns the numbers of the tensor called `name`.
  std::vector<float>& operator[](const std::string& name) { return tensors_.at(name); }
  void Remove(const std::string& name) { tensors_.erase(name); }
  size_t num_tensors() const { return tensors_.size(); }
  // Returns how many tensors were given out and not released; the most so far.
  size_t num_live() const { return num_live_; }
  size_t max_live() const { return max_live_; }

 private:
  ModelConfig config_;
  std::map<std::string, std::vector<float>, std::less<>> tensors_;
  size_t num_live_ = 0;
  size_t max_live_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_MODEL_TEST_WEIGHTS_H_
