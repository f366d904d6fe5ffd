#include "model/weight_compare.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "checkpoint/expected_tensors.h"

namespace ocelli {
namespace {

bool SameBits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

class WeightComparer : public WeightVisitor {
 public:
  WeightComparer(WeightSource& source, ThreadPool& pool, const LoadProgress& progress)
      : source_(source),
        // float32 holds every number, whatever it is stored as.
        loader_(source, WeightFormat::kFloat32, pool, no_progress_),
        pool_(pool),
        progress_(progress),
        total_(ExpectedTensors(source.config()).size()) {}

  const Status& status() const { return loader_.status().ok() ? status_ : loader_.status(); }
  uint64_t num_compared() const { return num_compared_; }

  void Matrix(const std::vector<Part>& parts, size_t inputs, PackedMatrix& held) override {
    size_t first_output = 0;
    for (const Part& part : parts) {
      if (status().ok()) CompareRows(part, inputs, first_output, held);
      first_output += part.outputs;
    }
  }
  void PatchKernel(const VisionConfig& config, PackedMatrix& held) override {
    PackedMatrix summed;
    loader_.PatchKernel(config, summed);
    std::vector<float> a(held.num_inputs()), b(held.num_inputs());
    for (size_t n = 0; status().ok() && n < held.num_outputs(); ++n) {
      held.CopyRow(n, a);
      summed.CopyRow(n, b);
      Check(SameBits(a, b), "the summed patch kernels");
    }
    Count(held.num_outputs() * held.num_inputs());
  }
  void Vector(const std::string& name, size_t size, std::vector<float>& held) override {
    std::vector<float> published;
    loader_.Vector(name, size, published);
    Check(SameBits(held, published), name);
    Count(size);
  }
  void Table(const std::string& name, size_t rows, size_t cols, Mat<float>& held) override {
    Mat<float> published;
    loader_.Table(name, rows, cols, published);
    Check(SameBits({held.data(), rows * cols}, {published.data(), rows * cols}), name);
    Count(rows * cols);
  }

 private:
  void CompareRows(const Part& part, size_t inputs, size_t first_output, const PackedMatrix& held) {
    const size_t shape[] = {part.outputs, inputs};
    const Result<TensorView> tensor = source_.Tensor(part.name, shape);
    if (!tensor.ok()) {
      status_ = tensor.error();
      return;
    }
    std::atomic<bool> same = true;
    pool_.ForRanges(part.outputs, kPanelRows, [&](size_t begin, size_t end, int) {
      std::vector<float> a(inputs), b(inputs);
      for (size_t n = begin; n < end && same; ++n) {
        held.CopyRow(first_output + n, a);
        WidenTo(*tensor, n * inputs, b);
        if (!SameBits(a, b)) same = false;
      }
    });
    source_.Release(*tensor);
    Check(same, part.name);
    Count(part.outputs * inputs);
  }

  void Check(bool same, const std::string& name) {
    if (same || !status().ok()) return;
    status_ = Error{ErrorCode::kCorruptData,
                    fmt::format("{} is not held as it was published", name), name};
  }

  void Count(size_t numbers) {
    num_compared_ += numbers;
    ++done_;
    if (progress_) progress_(done_, total_);
  }

  WeightSource& source_;
  const LoadProgress no_progress_;
  WeightLoader loader_;
  ThreadPool& pool_;
  const LoadProgress& progress_;
  size_t total_ = 0;
  size_t done_ = 0;
  uint64_t num_compared_ = 0;
  Status status_;
};

}  // namespace

Result<uint64_t> CompareWeights(WeightSource& source, ModelWeights& weights, ThreadPool& pool,
                                const LoadProgress& progress) {
  WeightComparer comparer(source, pool, progress);
  VisitWeights(source.config(), weights, comparer);
  OCELLI_RETURN_IF_ERROR(comparer.status());
  return comparer.num_compared();
}

}  // namespace ocelli
