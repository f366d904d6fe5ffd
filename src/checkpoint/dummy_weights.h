#ifndef OCELLI_CHECKPOINT_DUMMY_WEIGHTS_H_
#define OCELLI_CHECKPOINT_DUMMY_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/bf16.h"
#include "checkpoint/weight_source.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// Random bfloat16 weights of a model of any size, made when asked for: for benchmarks without a
// checkpoint. The numbers of a tensor depend on the seed, its name and its shape only. Matrices are
// normal with standard deviation min(0.04, 1 / sqrt(inputs)), which keeps activations near one
// through any number of layers; norms are near one, biases near zero.
class DummyWeights : public WeightSource {
 public:
  // `pool` must outlive this.
  DummyWeights(ModelConfig config, uint64_t seed, ThreadPool& pool);

  const ModelConfig& config() const override { return config_; }
  // **Errors**: kResourceExhausted for a tensor larger than the memory that may be used.
  // **Threads**: uses the pool.
  Result<TensorView> Tensor(std::string_view name, std::span<const size_t> shape) override;
  void Release(const TensorView& tensor) override;

 private:
  const std::vector<Bf16>& Quantiles(float mean, float std);
  const std::vector<Bf16>& QuantilesFor(std::string_view name, std::span<const size_t> shape);

  ModelConfig config_;
  uint64_t seed_;
  ThreadPool& pool_;
  std::vector<float> standard_quantiles_;
  std::map<std::pair<float, float>, std::vector<Bf16>> quantiles_;  // by mean and deviation
  std::vector<AlignedBuffer> live_;  // tensors that have not been released
};

}  // namespace ocelli

#endif  // OCELLI_CHECKPOINT_DUMMY_WEIGHTS_H_
