#ifndef OCELLI_MODEL_WEIGHT_LOADER_H_
#define OCELLI_MODEL_WEIGHT_LOADER_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "checkpoint/weight_source.h"
#include "model/weight_visitor.h"
#include "parallel/thread_pool.h"

namespace ocelli {

// Hears how many of the model's tensors are loaded.
using LoadProgress = std::function<void(size_t done, size_t total)>;

// Fills in weights from a source of published tensors, releasing each as soon as it is packed.
// A matrix is held as `wanted` when every number of it is exactly bf16, as float32 otherwise; one
// that kPacked12 would not shrink much, for its exponents are many, is held as kBf16.
// The first error sticks and makes the rest do nothing. **Errors**: as WeightSource::Tensor.
// **Threads**: uses `pool`.
class WeightLoader : public WeightVisitor {
 public:
  WeightLoader(WeightSource& source, WeightFormat wanted, ThreadPool& pool,
               const LoadProgress& progress);

  const Status& status() const { return status_; }

  void Matrix(const std::vector<Part>& parts, size_t inputs, PackedMatrix& out) override;
  // A still picture fills every temporal step of a patch with the same pixels, so the kernels of
  // the steps act as their sum: half the multiplications. The sum of two bf16 numbers is exact in
  // float32 unless they are 2^16 times apart, and then it rounds where the sum of products would.
  void PatchKernel(const VisionConfig& config, PackedMatrix& out) override;
  void Vector(const std::string& name, size_t size, std::vector<float>& out) override;
  void Table(const std::string& name, size_t rows, size_t cols, Mat<float>& out) override;

 private:
  TensorView Fetch(const std::string& name, const std::vector<size_t>& shape);
  void Release(const TensorView& tensor);
  void Floats(const std::string& name, const std::vector<size_t>& shape, std::span<float> out);
  bool AllExact(std::span<const TensorView> tensors);
  PackedMatrix Pack(std::span<const TensorView> tensors, size_t outputs, size_t inputs);

  WeightSource& source_;
  const WeightFormat wanted_;
  ThreadPool& pool_;
  const LoadProgress& progress_;
  size_t total_ = 0;
  size_t done_ = 0;
  Status status_;
};

// Loads every tensor that `source.config()` names with a WeightLoader.
// **Errors**: as WeightSource::Tensor. **Threads**: uses `pool`.
Result<ModelWeights> LoadWeights(WeightSource& source, WeightFormat wanted, ThreadPool& pool,
                                 const LoadProgress& progress = {});

}  // namespace ocelli

#endif  // OCELLI_MODEL_WEIGHT_LOADER_H_
