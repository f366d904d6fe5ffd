// The same numbers written as bf16, f16 and f32 are the same model, bit for bit.
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/bf16.h"
#include "checkpoint/checkpoint.h"
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

// Writes the checkpoint in `source`, whose numbers are cut to what bf16 and f16 both hold, to
// `target` in another number format.
void Reencode(const std::filesystem::path& source, DType dtype,
              const std::filesystem::path& target) {
  std::filesystem::create_directories(target);
  for (const char* name : {"config.json", "preprocessor_config.json", "tokenizer.json"}) {
    std::filesystem::copy_file(source / name, target / name,
                               std::filesystem::copy_options::overwrite_existing);
  }
  const Result<Checkpoint> checkpoint = Checkpoint::Open(source);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  nlohmann::json header;
  std::string data;
  for (const SafetensorsFile& file : checkpoint->files()) {
    for (const SafetensorsEntry& entry : file.entries()) {
      const TensorView tensor{*entry.dtype, entry.shape, file.Bytes(entry)};
      const size_t begin = data.size();
      for (size_t i = 0; i < tensor.NumElements(); ++i) {
        AppendNumber(dtype, ToFloat(ToFloat16(tensor.At(i))), data);
      }
      header[entry.name] = {{"dtype", DTypeName(dtype)},
                            {"shape", entry.shape},
                            {"data_offsets", {begin, data.size()}}};
    }
  }
  std::string head = header.dump();
  head.resize((head.size() + 7) / 8 * 8, ' ');
  const uint64_t head_bytes = head.size();
  std::ofstream out(target / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&head_bytes), sizeof(head_bytes));
  out << head << data;
  ASSERT_TRUE(out.good());
}

class ReencodedCheckpoint : public testing::Test {
 protected:
  ReencodedCheckpoint()
      : directory_(std::filesystem::temp_directory_path() /
                   ("ocelli_reencoded_" + std::to_string(getpid()))) {}
  ~ReencodedCheckpoint() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<Model> Load(DType dtype) {
    const std::filesystem::path target = directory_ / std::string(DTypeName(dtype));
    Reencode(GoldenDirectory() / "checkpoint_tied", dtype, target);
    return LoadGoldenModel(target, pool_);
  }

  ThreadPool pool_{1};
  std::filesystem::path directory_;
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
