#ifndef OCELLI_TESTS_GOLDEN_GOLDEN_CASE_H_
#define OCELLI_TESTS_GOLDEN_GOLDEN_CASE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tensor/mat.h"

namespace ocelli {

// Returns the directory of the golden files.
std::filesystem::path GoldenDirectory();

// One tensor of a golden file: numbers of either kind.
struct GoldenTensor {
  std::vector<size_t> shape;
  std::vector<float> floats;
  std::vector<int64_t> integers;

  // Returns the numbers as a matrix. **Shapes**: [d0, d1], or [1, d0].
  MatView<const float> FloatMat() const;
  float MaxAbs() const;
};

// What the reference implementation answered to one prompt, computed in double precision.
struct GoldenCase {
  std::string name;        // "tied/one_picture"
  std::string checkpoint;  // "checkpoint_tied"
  std::filesystem::path directory;
  float reference_error = 0;       // of the reference's own float32 logits, largest absolute
  double reference_rms_error = 0;  // likewise, root mean square
  float logits_max_abs = 0;
  std::map<std::string, GoldenTensor> tensors;

  const GoldenTensor& operator[](const std::string& tensor) const { return tensors.at(tensor); }
  bool Has(const std::string& tensor) const { return tensors.count(tensor) != 0; }
  size_t num_pictures() const;
  std::filesystem::path picture_path(size_t index) const;
  std::vector<int32_t> input_ids() const;
};

// Loads the cases of one checkpoint ("tied" or "untied"), by name.
std::vector<GoldenCase> LoadGoldenCases(const std::string& family);

}  // namespace ocelli

#endif  // OCELLI_TESTS_GOLDEN_GOLDEN_CASE_H_
