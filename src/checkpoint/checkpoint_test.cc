#include "checkpoint/checkpoint.h"

#include <algorithm>
#include <functional>

#include "base/bf16.h"
#include "checkpoint/expected_tensors.h"
#include "checkpoint/fp8.h"
#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using nlohmann::json;
using testing::ExpectError;
using testing::GoldenPath;
using testing::ReadAll;
using testing::TestDirectory;
using testing::TestTensor;
using testing::TinyConfig;

constexpr const char* kNorm = "model.language_model.norm.weight";
constexpr std::string_view kIndexName = "model.safetensors.index.json";

Status OpenAndCheck(const std::filesystem::path& directory) {
  OCELLI_ASSIGN_OR_RETURN(const Checkpoint checkpoint, Checkpoint::Open(directory));
  return checkpoint.CheckComplete();
}

// A tiny model in a directory, to be damaged.
class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    tensors_ = testing::TensorsOf(*ParseModelConfig(config_.dump(), "config.json"));
  }

  // Writes config and weights as they now stand and opens them, which must not take a second.
  Status Open() {
    directory_.Write("config.json", config_.dump());
    directory_.Write("model.safetensors", testing::Safetensors(tensors_));
    return OpenQuickly();
  }
  Status OpenQuickly() {
    const testing::CpuSecond second;
    return OpenAndCheck(directory_.path());
  }
  // Writes the tensors to two shards with an index, which `edit` may damage.
  void WriteShards(const std::function<void(json&)>& edit) {
    directory_.Write("config.json", config_.dump());
    const auto half = tensors_.begin() + std::ssize(tensors_) / 2;
    directory_.Write("model-1.safetensors", testing::Safetensors({tensors_.begin(), half}));
    directory_.Write("model-2.safetensors", testing::Safetensors({half, tensors_.end()}));
    json index;
    for (auto it = tensors_.begin(); it != tensors_.end(); ++it) {
      index["weight_map"][it->name] = it < half ? "model-1.safetensors" : "model-2.safetensors";
    }
    edit(index);
    directory_.Write(kIndexName, index.dump());
  }
  TestTensor& Named(std::string_view name) {
    return *std::find_if(tensors_.begin(), tensors_.end(),
                         [&](const TestTensor& tensor) { return tensor.name == name; });
  }

  TestDirectory directory_;
  json config_ = TinyConfig();
  std::vector<TestTensor> tensors_;
};

TEST(GoldenCheckpoint, OpensWholeInOneFileAndInShards) {
  for (const char* name : {"checkpoint_tied", "checkpoint_untied"}) {
    auto checkpoint = Checkpoint::Open(GoldenPath(name));
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
    EXPECT_TRUE(checkpoint->CheckComplete().ok());
    EXPECT_EQ(checkpoint->NumExtraTensors(), 0u);
    EXPECT_EQ(checkpoint->files().size(), checkpoint->config().tie_word_embeddings ? 1u : 10u);
    EXPECT_EQ(checkpoint->generation_config().eos_token_ids, (std::vector<int32_t>{258, 256}));
    EXPECT_EQ(checkpoint->preprocessor_config().max_pixels, 65'536u);
    EXPECT_TRUE(std::filesystem::exists(checkpoint->tokenizer_path()));
  }
}

TEST(GoldenCheckpoint, GivesEveryTensorAndReadsTheSameAfterRelease) {
  auto checkpoint = Checkpoint::Open(GoldenPath("checkpoint_untied"));
  ASSERT_TRUE(checkpoint.ok());
  for (const TensorSpec& spec : ExpectedTensors(checkpoint->config())) {
    auto tensor = checkpoint->Tensor(spec.name, spec.shape);
    ASSERT_TRUE(tensor.ok()) << tensor.error().message;
    EXPECT_EQ(tensor->dtype, DType::kBf16);
    ASSERT_EQ(tensor->bytes.size(), 2 * spec.NumElements());
    const std::vector<std::byte> before(tensor->bytes.begin(), tensor->bytes.end());
    checkpoint->Release(*tensor);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), tensor->bytes.begin()));
  }
}

TEST(GoldenCheckpoint, TheEmbeddedModelIsComplete) {
  EXPECT_TRUE(OpenAndCheck(std::filesystem::path(OCELLI_SOURCE_DIR) / "models/embedded").ok());
}

TEST_F(CheckpointTest, OpensWithoutTheOptionalFiles) {
  ASSERT_TRUE(Open().ok()) << Open().error().message;
  const auto checkpoint = Checkpoint::Open(directory_.path());
  EXPECT_EQ(checkpoint->generation_config().eos_token_ids, std::vector<int32_t>{2});
  EXPECT_EQ(checkpoint->preprocessor_config().patch_size, 2u);
}

TEST_F(CheckpointTest, ReadsF16AndF32WithTheirFullValue) {
  TestTensor& norm = Named(kNorm);
  norm.dtype = "F32";
  const float values[] = {1.0f, 0.1f, -3.3333333f, 1e-30f};
  norm.bytes.assign(reinterpret_cast<const char*>(values), sizeof(values));
  TestTensor& head_norm = Named("model.language_model.layers.0.self_attn.q_norm.weight");
  head_norm.dtype = "F16";
  head_norm.bytes = std::string("\x01\x00\xff\x3b", 4) + std::string(12, '\0');
  ASSERT_TRUE(Open().ok());
  auto checkpoint = Checkpoint::Open(directory_.path());
  const auto f32 = checkpoint->Tensor(kNorm, std::vector<size_t>{4});
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(f32->At(i), values[i]);
  const auto f16 = checkpoint->Tensor(head_norm.name, std::vector<size_t>{8});
  EXPECT_EQ(f16->At(0), 0x1p-24f);
  EXPECT_EQ(f16->At(1), 0x1.ffcp-1f);
}

TEST_F(CheckpointTest, OpensTheOtherStylesOfNames) {
  const std::pair<const char*, const char*> styles[] = {
      {"visual.", "model."}, {"visual.", "language_model.model."}, {"visual.", "language_model."}};
  const std::vector<TestTensor> published = tensors_;
  for (const auto& [vision, text] : styles) {
    tensors_ = published;
    for (TestTensor& tensor : tensors_) {
      const bool visual = tensor.name.starts_with("model.visual.");
      const size_t prefix = visual ? sizeof("model.visual") : sizeof("model.language_model");
      tensor.name = (visual ? vision : text) + tensor.name.substr(prefix);
    }
    const Status status = Open();
    EXPECT_TRUE(status.ok()) << text << ": " << status.error().message;
  }
}

TEST_F(CheckpointTest, IgnoresAndCountsExtraTensorsOfAnyFormat) {
  tensors_.push_back({"model.rotary.inv_freq", "F64", {1}, std::string(8, '\0')});
  tensors_.push_back({"lm_head.weight", "BF16", {9, 4}, std::string(72, '\0')});
  ASSERT_TRUE(Open().ok());
  EXPECT_EQ(Checkpoint::Open(directory_.path())->NumExtraTensors(), 2u);
}

TEST_F(CheckpointTest, RefusesAMissingTensorByName) {
  std::erase_if(tensors_, [](const TestTensor& tensor) { return tensor.name == kNorm; });
  ExpectError(Open(), ErrorCode::kNotFound, {directory_.path(), kNorm});
}

TEST_F(CheckpointTest, AMissingHeadSuggestsTiedEmbeddings) {
  config_["tie_word_embeddings"] = false;
  ExpectError(Open(), ErrorCode::kNotFound, {"lm_head.weight", "tie_word_embeddings"});
}

TEST_F(CheckpointTest, RefusesAWrongShapeByNameFoundAndWanted) {
  Named(kNorm).shape = {2, 2};
  ExpectError(Open(), ErrorCode::kCorruptData,
              {"model.safetensors", kNorm, "[2, 2]", "[4]", "another model"});
}

TEST_F(CheckpointTest, RefusesAnotherModelsConfig) {
  config_["text_config"]["intermediate_size"] = 10;
  ExpectError(Open(), ErrorCode::kCorruptData, {"gate_proj", "[6, 4]", "[10, 4]"});
  config_["model_type"] = "llama";
  ExpectError(Open(), ErrorCode::kUnsupported, {"config.json", "\"llama\""});
}

TEST_F(CheckpointTest, RefusesQuantisedWeightsByFormatAndSaysWhatHelps) {
  TestTensor& norm = Named(kNorm);
  norm.dtype = "F8_E4M3";
  norm.bytes.resize(4);
  ExpectError(Open(), ErrorCode::kUnsupported,
              {"model.safetensors", kNorm, "F8_E4M3", "BF16, F16, F32", "not quantised"});
}

// The FP8 releases: matrices of the decoder in float8, a scale for each block.
class Fp8CheckpointTest : public CheckpointTest {
 protected:
  Fp8CheckpointTest() {
    config_["quantization_config"] = {{"quant_method", "fp8"},
                                      {"fmt", "e4m3"},
                                      {"activation_scheme", "dynamic"},
                                      {"weight_block_size", {4, 3}}};
    TestTensor& weight = Named(kMatrix);  // [6, 4]
    weight.dtype = "F8_E4M3";
    weight.bytes.clear();
    for (int i = 0; i < 24; ++i) weight.bytes += static_cast<char>(i * 5);
    std::string scales;
    for (const float scale : {0.5f, 3.0f, 0.25f, 1.5f}) {
      const Bf16 rounded = RoundToBf16(scale);
      scales.append(reinterpret_cast<const char*>(&rounded), sizeof(rounded));
    }
    tensors_.push_back({std::string(kMatrix) + "_scale_inv", "BF16", {2, 2}, scales});
  }

  static constexpr const char* kMatrix = "model.language_model.layers.1.mlp.gate_proj.weight";
};

TEST_F(Fp8CheckpointTest, GivesTheDequantisedNumbers) {
  ASSERT_TRUE(Open().ok());
  Result<Checkpoint> checkpoint = Checkpoint::Open(directory_.path());
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_EQ(checkpoint->NumExtraTensors(), 0u);
  const std::vector<size_t> shape = {6, 4};
  const Result<TensorView> tensor = checkpoint->Tensor(kMatrix, shape);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->dtype, DType::kFloat32);
  const float scales[2][2] = {{0.5f, 3.0f}, {0.25f, 1.5f}};
  for (size_t r = 0; r < 6; ++r) {
    for (size_t c = 0; c < 4; ++c) {
      const size_t i = r * 4 + c;
      EXPECT_EQ(tensor->At(i), Fp8ToFloat(static_cast<uint8_t>(i * 5)) * scales[r / 4][c / 3]);
    }
  }
  checkpoint->Release(*tensor);
}

TEST_F(Fp8CheckpointTest, RefusesScalesThatAreMissingOrOfAnotherShape) {
  tensors_.back().shape = {4, 1};
  ExpectError(Open(), ErrorCode::kCorruptData,
              {"gate_proj.weight_scale_inv", "[4, 1]", "blocks of 4 x 3", "[2, 2]"});
  tensors_.pop_back();
  ExpectError(Open(), ErrorCode::kNotFound, {kMatrix, "_scale_inv is missing"});
}

TEST_F(Fp8CheckpointTest, RefusesFloat8ThatConfigDoesNotSpeakOf) {
  config_.erase("quantization_config");
  ExpectError(Open(), ErrorCode::kUnsupported, {kMatrix, "F8_E4M3"});
}

TEST_F(CheckpointTest, RefusesTwoNamesForOnePart) {
  tensors_.push_back(Named(kNorm));
  tensors_.back().name = "model.norm.weight";
  ExpectError(Open(), ErrorCode::kCorruptData, {kNorm, "\"model.norm.weight\""});
}

TEST_F(CheckpointTest, RefusesTruncatedAndForeignWeights) {
  ASSERT_TRUE(Open().ok());
  const std::string whole = ReadAll(directory_.path() / "model.safetensors");
  directory_.Write("model.safetensors", whole.substr(0, whole.size() - 1));
  ExpectError(OpenQuickly(), ErrorCode::kCorruptData, {"model.safetensors", "cut short"});
  directory_.Write("model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
  ExpectError(OpenQuickly(), ErrorCode::kCorruptData, {"model.safetensors", "git lfs pull"});
}

TEST_F(CheckpointTest, RefusesDirectoriesWithoutAModel) {
  ExpectError(OpenAndCheck(directory_.path() / "none"), ErrorCode::kNotFound, {"none"});
  ExpectError(OpenQuickly(), ErrorCode::kNotFound, {"config.json"});
  directory_.Write("config.json", config_.dump());
  ExpectError(OpenQuickly(), ErrorCode::kNotFound, {"has no weights", "model.safetensors"});
  directory_.Write("pytorch_model.bin", "x");
  ExpectError(OpenQuickly(), ErrorCode::kNotFound, {"pytorch_model.bin"});
  ExpectError(OpenAndCheck(directory_.path() / "config.json"), ErrorCode::kInvalidArgument,
              {"is a file"});
}

TEST_F(CheckpointTest, RefusesAnOptionalFileOfAnotherModel) {
  directory_.Write("generation_config.json", R"({"eos_token_id": [2, 151645]})");
  ExpectError(Open(), ErrorCode::kInvalidArgument, {"151645", "vocab_size (9)"});
  directory_.Write("generation_config.json", "{}");
  directory_.Write("preprocessor_config.json", R"({"patch_size": 14, "merge_size": 2})");
  ExpectError(Open(), ErrorCode::kInvalidArgument, {"patch_size is 14", "is 2 in config.json"});
}

TEST_F(CheckpointTest, OpensShards) {
  WriteShards([](json&) {});
  const Status status = OpenQuickly();
  EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST_F(CheckpointTest, RefusesAnIndexThatPointsOutside) {
  WriteShards([](json& index) { index["weight_map"][kNorm] = "../model-2.safetensors"; });
  ExpectError(OpenQuickly(), ErrorCode::kCorruptData, {kIndexName.data(), kNorm, "../model-2"});
}

TEST_F(CheckpointTest, RefusesMissingShardsByNameAndNumber) {
  WriteShards([](json&) {});
  std::filesystem::remove(directory_.path() / "model-2.safetensors");
  ExpectError(OpenQuickly(), ErrorCode::kNotFound, {"1 of the 2 files", "model-2.safetensors"});
}

TEST_F(CheckpointTest, RefusesATensorListedInAShardThatLacksIt) {
  WriteShards([](json& index) { index["weight_map"][kNorm] = "model-1.safetensors"; });
  ExpectError(OpenQuickly(), ErrorCode::kCorruptData,
              {kIndexName.data(), kNorm, "model-1.safetensors", "does not have it"});
}

TEST_F(CheckpointTest, RefusesATensorThatTheIndexForgets) {
  WriteShards([](json& index) { index["weight_map"].erase(kNorm); });
  ExpectError(OpenQuickly(), ErrorCode::kNotFound, {kNorm});
}

TEST_F(CheckpointTest, SurvivesRandomDamageOfHeaderAndConfig) {
  ASSERT_TRUE(Open().ok());
  std::mt19937 random(4);
  const std::string weights = testing::Safetensors(tensors_);
  const std::string config = config_.dump();
  for (int i = 0; i < 2'000; ++i) {
    directory_.Write("model.safetensors", testing::Mutated(weights, random));
    if (i % 2 == 0) directory_.Write("config.json", testing::Mutated(config, random));
    auto checkpoint = Checkpoint::Open(directory_.path());
    if (!checkpoint.ok() || !checkpoint->CheckComplete().ok()) continue;
    for (const TensorSpec& spec : ExpectedTensors(checkpoint->config())) {
      const auto tensor = checkpoint->Tensor(spec.name, spec.shape);
      ASSERT_TRUE(tensor.ok());
      std::vector<float> values(spec.NumElements());
      WidenTo(*tensor, 0, values);
    }
  }
}

}  // namespace
}  // namespace ocelli
