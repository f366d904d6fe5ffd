#include "model/weight_loader.h"

#include <algorithm>
#include <utility>

#include "checkpoint/expected_tensors.h"

namespace ocelli {
namespace {

// Above this share of escapes (4 bytes each, and work for each) 12 bits gain too little.
constexpr double kMostEscapes = 0.01;

}  // namespace

WeightLoader::WeightLoader(WeightSource& source, WeightFormat wanted, ThreadPool& pool,
                           const LoadProgress& progress)
    : source_(source),
      wanted_(wanted),
      pool_(pool),
      progress_(progress),
      total_(ExpectedTensors(source.config()).size()) {}

TensorView WeightLoader::Fetch(const std::string& name, const std::vector<size_t>& shape) {
  if (!status_.ok()) return {};
  Result<TensorView> tensor = source_.Tensor(name, shape);
  if (tensor.ok()) return *std::move(tensor);
  status_ = std::move(tensor).error();
  return {};
}

void WeightLoader::Release(const TensorView& tensor) {
  source_.Release(tensor);
  ++done_;
  if (progress_) progress_(done_, total_);
}

void WeightLoader::Floats(const std::string& name, const std::vector<size_t>& shape,
                          std::span<float> out) {
  const TensorView tensor = Fetch(name, shape);
  if (!status_.ok()) return;
  WidenTo(tensor, 0, out);
  Release(tensor);
}

void WeightLoader::Vector(const std::string& name, size_t size, std::vector<float>& out) {
  out.resize(size);
  Floats(name, {size}, out);
}

void WeightLoader::Table(const std::string& name, size_t rows, size_t cols, Mat<float>& out) {
  out = Mat<float>(rows, cols);
  Floats(name, {rows, cols}, {out.data(), rows * cols});
}

bool WeightLoader::AllExact(std::span<const TensorView> tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const TensorView& tensor) { return AllExactBf16(tensor, pool_); });
}

PackedMatrix WeightLoader::Pack(std::span<const TensorView> tensors, size_t outputs,
                                size_t inputs) {
  const bool as_wanted = wanted_ == WeightFormat::kFloat32 || AllExact(tensors);
  if (wanted_ == WeightFormat::kPacked12 && as_wanted) {
    PackedMatrix packed = PackedMatrix::CompressedOf(tensors, inputs, pool_);
    if (packed.EscapeShare() <= kMostEscapes) return packed;
  }
  const bool bf16 = as_wanted && wanted_ != WeightFormat::kFloat32;
  PackedMatrix matrix(outputs, inputs, bf16 ? WeightFormat::kBf16 : WeightFormat::kFloat32);
  size_t first_output = 0;
  for (const TensorView& tensor : tensors) {
    matrix.SetRows(first_output, tensor, pool_);
    first_output += tensor.NumElements() / inputs;
  }
  return matrix;
}

void WeightLoader::Matrix(const std::vector<Part>& parts, size_t inputs, PackedMatrix& out) {
  std::vector<TensorView> tensors;
  size_t outputs = 0;
  for (const Part& part : parts) {
    tensors.push_back(Fetch(part.name, {part.outputs, inputs}));
    outputs += part.outputs;
  }
  if (!status_.ok()) return;
  out = Pack(tensors, outputs, inputs);
  for (const TensorView& tensor : tensors) Release(tensor);
}

void WeightLoader::PatchKernel(const VisionConfig& config, PackedMatrix& out) {
  const size_t steps = config.temporal_patch_size;
  const size_t area = config.patch_size * config.patch_size;
  const size_t channels = config.hidden_size * config.in_channels;  // of the kernel
  std::vector<float> kernel(channels * steps * area);
  Floats("model.visual.patch_embed.proj.weight",
         {config.hidden_size, config.in_channels, steps, config.patch_size, config.patch_size},
         kernel);
  if (!status_.ok()) return;
  std::vector<float> sum(channels * area);
  for (size_t i = 0; i < sum.size(); ++i) {
    const float* pixel = &kernel[i / area * steps * area + i % area];
    for (size_t step = 0; step < steps; ++step) sum[i] += pixel[step * area];
  }
  const size_t inputs = config.in_channels * area;
  const TensorView view{
      DType::kFloat32, {config.hidden_size, inputs}, std::as_bytes(std::span(sum))};
  out = Pack({&view, 1}, config.hidden_size, inputs);
}

Result<ModelWeights> LoadWeights(WeightSource& source, WeightFormat wanted, ThreadPool& pool,
                                 const LoadProgress& progress) {
  WeightLoader loader(source, wanted, pool, progress);
  ModelWeights weights;
  VisitWeights(source.config(), weights, loader);
  OCELLI_RETURN_IF_ERROR(loader.status());
  return weights;
}

}  // namespace ocelli
