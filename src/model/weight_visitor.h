#ifndef OCELLI_MODEL_WEIGHT_VISITOR_H_
#define OCELLI_MODEL_WEIGHT_VISITOR_H_

#include <cstddef>
#include <string>
#include <vector>

#include "checkpoint/model_config.h"
#include "kernels/packed_matrix.h"
#include "model/weights.h"
#include "parallel/thread_pool.h"
#include "tensor/mat.h"

namespace ocelli {

// Is shown every weight of a model: fills it in, or keeps it somewhere. Names are those of the
// published tensors.
class WeightVisitor {
 public:
  virtual ~WeightVisitor() = default;

  // A published matrix that is a part of one of ours.
  struct Part {
    std::string name;
    size_t outputs = 0;
  };
  // Matrices with the same inputs, one under the other. **Shapes**: [sum of outputs, inputs].
  virtual void Matrix(const std::vector<Part>& parts, size_t inputs, PackedMatrix& out) = 0;
  // The temporal kernels of the patch embedding, summed.
  // **Shapes**: [hidden_size, in_channels * patch_size^2].
  virtual void PatchKernel(const VisionConfig& config, PackedMatrix& out) = 0;
  // Numbers that are kept as float32. **Shapes**: [size]; [rows, cols].
  virtual void Vector(const std::string& name, size_t size, std::vector<float>& out) = 0;
  virtual void Table(const std::string& name, size_t rows, size_t cols, Mat<float>& out) = 0;
};

// Shows `visitor` all weights of a model of `config`, the largest matrices first: while one is
// packed, its source takes memory too. Sizes the lists of `weights`, so that it reads as a list of
// what a model consists of.
void VisitWeights(const ModelConfig& config, ModelWeights& weights, WeightVisitor& visitor);

// Moves the matrices of `weights`, one after the other, from where they are mapped to memory of
// this process (see PackedMatrix::Copied). **Threads**: uses `pool`.
void CopyMatrices(const ModelConfig& config, ModelWeights& weights, ThreadPool& pool);

}  // namespace ocelli

#endif  // OCELLI_MODEL_WEIGHT_VISITOR_H_
