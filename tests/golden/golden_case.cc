#include "golden_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace ocelli {
namespace {

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  OCELLI_CHECK(file.is_open(), "cannot open {}", path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <typename T>
void CopyNumbers(const std::string& bytes, size_t begin, size_t end, std::vector<T>& out) {
  out.resize((end - begin) / sizeof(T));
  std::memcpy(out.data(), bytes.data() + begin, end - begin);
}

// Golden files hold I64 tensors, which checkpoints never do, so they have their own small reader.
std::map<std::string, GoldenTensor> ReadTensors(const std::filesystem::path& path) {
  const std::string bytes = ReadWhole(path);
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, bytes.data(), sizeof(header_bytes));
  const size_t data = sizeof(header_bytes) + header_bytes;
  const auto header = nlohmann::json::parse(bytes.substr(sizeof(header_bytes), header_bytes));
  std::map<std::string, GoldenTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    GoldenTensor& tensor = tensors[name];
    tensor.shape = entry["shape"].get<std::vector<size_t>>();
    const size_t begin = data + entry["data_offsets"][0].get<size_t>();
    const size_t end = data + entry["data_offsets"][1].get<size_t>();
    if (entry["dtype"] == "F32") {
      CopyNumbers(bytes, begin, end, tensor.floats);
    } else {
      OCELLI_CHECK(entry["dtype"] == "I64", "{}", entry["dtype"].dump());
      CopyNumbers(bytes, begin, end, tensor.integers);
    }
  }
  return tensors;
}

// Written by tools/golden/measure_reference_error.py.
nlohmann::json ReferenceRmsErrors() {
  return nlohmann::json::parse(
      ReadWhole(GoldenDirectory().parent_path() / "reference_rms_error.json"));
}

GoldenCase LoadCase(const std::string& family, const std::filesystem::path& directory) {
  const auto info = nlohmann::json::parse(ReadWhole(directory / "case.json"));
  GoldenCase golden;
  golden.name = family + "/" + directory.filename().string();
  golden.checkpoint = "checkpoint_" + family;
  golden.directory = directory;
  golden.reference_error = info["reference_float32_max_abs_error"].get<float>();
  golden.reference_rms_error = ReferenceRmsErrors()[golden.name].get<double>();
  golden.logits_max_abs = info["logits_max_abs"].get<float>();
  golden.tensors = ReadTensors(directory / "expected.safetensors");
  return golden;
}

}  // namespace

std::filesystem::path GoldenDirectory() {
  return std::filesystem::path(OCELLI_SOURCE_DIR) / "tests" / "golden" / "data";
}

MatView<const float> GoldenTensor::FloatMat() const {
  const size_t cols = shape.back();
  return {floats.data(), floats.size() / cols, cols};
}

float GoldenTensor::MaxAbs() const {
  float largest = 0;
  for (const float value : floats) largest = std::max(largest, std::abs(value));
  return largest;
}

size_t GoldenCase::num_pictures() const {
  return Has("image_grid_thw") ? (*this)["image_grid_thw"].shape[0] : 0;
}

std::filesystem::path GoldenCase::picture_path(size_t index) const {
  return directory / ("picture_" + std::to_string(index) + ".png");
}

std::vector<int32_t> GoldenCase::input_ids() const {
  const std::vector<int64_t>& ids = (*this)["input_ids"].integers;
  return {ids.begin(), ids.end()};
}

std::vector<GoldenCase> LoadGoldenCases(const std::string& family) {
  std::vector<std::filesystem::path> directories;
  for (const auto& entry : std::filesystem::directory_iterator(GoldenDirectory() / family)) {
    directories.push_back(entry.path());
  }
  std::sort(directories.begin(), directories.end());
  std::vector<GoldenCase> cases;
  for (const auto& directory : directories) cases.push_back(LoadCase(family, directory));
  return cases;
}

}  // namespace ocelli
