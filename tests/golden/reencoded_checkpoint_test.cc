// The same numbers written as bf16, f16 and f32 are the same model, bit for bit.
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bf16.h"
#include "base/test_directory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/test_files.h"
#include "golden_case.h"
#include "golden_sequence.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

// Returns the binary16 number equal to `value`, a bf16 number; a value too small for one becomes 0.
Float16 ToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  const int exponent = static_cast<int>(bits >> 23 & 0xFFu) - 127;
  if (exponent < -14) return Float16{sign};
  const auto mantissa = static_cast<uint16_t>(bits >> 13 & 0x3FFu);
  return Float16{static_cast<uint16_t>(sign | (exponent + 15) << 10 | mantissa)};
}

void AppendNumber(DType dtype, float value, std::string& out) {
  const auto append = [&](auto number) {
    out.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  switch (dtype) {
    case DType::kBf16:
      return append(RoundToBf16(value));
    case DType::kFloat16:
      return append(ToFloat16(value));
    case DType::kFloat32:
      return append(value);
  }
}

// Returns the weights in `source`, cut to what bf16 and f16 both hold, as one safetensors file of
// another number format.
std::string Reencoded(const std::filesystem::path& source, DType dtype) {
  const Checkpoint checkpoint = Checkpoint::Open(source).value();
  std::vector<testing::TestTensor> tensors;
  for (const SafetensorsFile& file : checkpoint.files()) {
    for (const SafetensorsEntry& entry : file.entries()) {
      const TensorView from{*entry.dtype, entry.shape, file.Bytes(entry)};
      testing::TestTensor& to = tensors.emplace_back(
          testing::TestTensor{entry.name, std::string(DTypeName(dtype)), entry.shape, ""});
      for (size_t i = 0; i < from.NumElements(); ++i) {
        AppendNumber(dtype, ToFloat(ToFloat16(from.At(i))), to.bytes);
      }
    }
  }
  return testing::Safetensors(tensors);
}

class ReencodedCheckpoint : public ::testing::Test {
 protected:
  std::unique_ptr<Model> Load(DType dtype) {
    const std::filesystem::path source = GoldenDirectory() / "checkpoint_tied";
    for (const char* name : {"config.json", "preprocessor_config.json"}) {
      directory_.Write(name, testing::ReadAll(source / name));
    }
    directory_.Write("model.safetensors", Reencoded(source, dtype));
    return LoadGoldenModel(directory_.path(), WeightFormat::kBf16, pool_);
  }

  ThreadPool pool_{1};
  testing::TestDirectory directory_;
};

TEST_F(ReencodedCheckpoint, SameNumbersInAnotherFormatAreTheSameModel) {
  const GoldenCase golden = LoadGoldenCases("tied").front();
  const std::unique_ptr<Model> bf16 = Load(DType::kBf16);
  const GoldenRun expected = RunGolden(*bf16, golden, EncodePictures(*bf16, golden), 0, 4);
  for (const DType dtype : {DType::kFloat16, DType::kFloat32}) {
    SCOPED_TRACE(DTypeName(dtype));
    const std::unique_ptr<Model> model = Load(dtype);
    EXPECT_EQ(model->memory().weight_bytes, bf16->memory().weight_bytes);
    const GoldenRun run = RunGolden(*model, golden, EncodePictures(*model, golden), 0, 4);
    EXPECT_EQ(run.answers, expected.answers);
    EXPECT_EQ(std::memcmp(run.logits.data(), expected.logits.data(),
                          run.logits.rows() * run.logits.cols() * sizeof(float)),
              0);
  }
}

}  // namespace
}  // namespace ocelli
