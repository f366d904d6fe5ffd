#include "model/packed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <string>

#include "base/file.h"
#include "base/test_directory.h"
#include "gtest/gtest.h"
#include "model/packed_format.h"
#include "model/test_weights.h"
#include "model/weight_compare.h"
#include "model/weight_visitor.h"

namespace ocelli {
namespace {

constexpr PackKey kKey = {7, 11};

class PackedFileTest : public ::testing::Test {
 protected:
  void Write(WeightFormat format, bool exact_bf16 = true) {
    TestWeights source(SmallConfig(), exact_bf16);
    const Status written = WritePackedFile(source, format, kKey, path_, pool_);
    ASSERT_TRUE(written.ok()) << written.error().message;
  }

  Result<ModelWeights> Open(const PackKey& key = kKey) {
    return OpenPackedFile(path_, key, SmallConfig(), pool_);
  }

  // Replaces `size` bytes at `at`.
  void Overwrite(size_t at, const void* bytes, size_t size) {
    const int file = open(path_.c_str(), O_WRONLY);
    ASSERT_EQ(pwrite(file, bytes, size, static_cast<off_t>(at)), static_cast<ssize_t>(size));
    close(file);
  }

  testing::TestDirectory directory_;
  std::filesystem::path path_ = directory_.path() / "small.safetensors";
  ThreadPool pool_{2};
};

TEST_F(PackedFileTest, HoldsEveryNumberInEveryFormat) {
  for (const WeightFormat format :
       {WeightFormat::kBf16, WeightFormat::kPacked12, WeightFormat::kFloat32}) {
    for (const bool exact : {true, false}) {
      Write(format, exact);
      Result<ModelWeights> weights = Open();
      ASSERT_TRUE(weights.ok()) << weights.error().message;
      TestWeights published(SmallConfig(), exact);
      const Result<uint64_t> compared = CompareWeights(published, *weights, pool_);
      ASSERT_TRUE(compared.ok()) << WeightFormatName(format) << ": " << compared.error().message;
      EXPECT_GT(*compared, 50'000u);
      ASSERT_TRUE(LoadWeights(published, format, pool_).ok());
      EXPECT_EQ(weights->size_bytes(), LoadWeights(published, format, pool_)->size_bytes());
      EXPECT_EQ(weights->language_model.layers[0].o_proj.format(),
                exact ? format : WeightFormat::kFloat32);
    }
  }
}

TEST_F(PackedFileTest, ComparisonFindsTheTensorThatDiffers) {
  Write(WeightFormat::kPacked12);
  Result<ModelWeights> weights = Open();
  ASSERT_TRUE(weights.ok());
  for (const char* name : {"model.language_model.layers.1.self_attn.k_proj.weight",
                           "model.visual.blocks.0.norm1.bias", "model.visual.pos_embed.weight"}) {
    TestWeights other(SmallConfig(), true);
    other[name][3] += 1;
    const Result<uint64_t> compared = CompareWeights(other, *weights, pool_);
    ASSERT_FALSE(compared.ok());
    EXPECT_EQ(compared.error().param, name);
  }
}

TEST_F(PackedFileTest, OtherWeightsAndOtherVersionsAreRefusedByName) {
  Write(WeightFormat::kPacked12);
  const Result<ModelWeights> other = Open({7, 12});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(other.error().message, "it holds other weights");
  {
    const Result<SafetensorsFile> file = SafetensorsFile::Open(path_);
    const size_t at = file->Find(packed::kIdentity)->begin;
    const uint64_t version = packed::kVersion + 1;
    Overwrite(at + 8, &version, sizeof(version));
  }
  const Result<ModelWeights> newer = Open();
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(Open().error().message, "it has version 2, this program writes 1");
}

TEST_F(PackedFileTest, NoDamagedByteIsUsed) {
  Write(WeightFormat::kPacked12);
  const std::string whole = *ReadFile(path_, size_t{1} << 30);
  std::vector<size_t> places;  // in many tensors, and in the header
  {
    const Result<SafetensorsFile> file = SafetensorsFile::Open(path_);
    std::minstd_rand random(3);
    for (const SafetensorsEntry& entry : file->entries()) {
      if (entry.name.starts_with(packed::kPadPrefix) || random() % 3 != 0) continue;
      places.push_back(entry.begin + random() % (entry.end - entry.begin));
    }
    for (const char* name : {"ocelli.pack", "ocelli.checksums"}) {
      places.push_back(file->Find(name)->begin + 3);
    }
    for (size_t i = 0; i < 30; ++i) places.push_back(random() % 20'000);
  }
  for (const size_t place : places) {
    const char wrong = static_cast<char>(whole[place] ^ 0x10);
    Overwrite(place, &wrong, 1);
    EXPECT_FALSE(Open().ok()) << "byte " << place;
    Overwrite(place, &whole[place], 1);
  }
  EXPECT_TRUE(Open().ok());
}

TEST_F(PackedFileTest, ACutFileIsRefused) {
  Write(WeightFormat::kBf16);
  const size_t size = std::filesystem::file_size(path_);
  for (const size_t kept : {size - 1, size - 100, size / 2, size_t{100}, size_t{8}, size_t{0}}) {
    std::filesystem::resize_file(path_, kept);
    EXPECT_FALSE(Open().ok()) << kept;
  }
}

TEST_F(PackedFileTest, CopiedMatricesNeedTheFileNoMore) {
  Write(WeightFormat::kPacked12);
  Result<ModelWeights> weights = Open();
  ASSERT_TRUE(weights.ok()) << weights.error().message;
  CopyMatrices(SmallConfig(), *weights, pool_);
  std::filesystem::resize_file(path_, 0);  // to read from the mapping would end the process
  TestWeights published(SmallConfig(), true);
  const Result<uint64_t> compared = CompareWeights(published, *weights, pool_);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  EXPECT_GT(*compared, 50'000u);
}

TEST_F(PackedFileTest, AnotherModelsSizesAreRefused) {
  Write(WeightFormat::kBf16);
  ModelConfig config = SmallConfig();
  config.text_config.intermediate_size += 16;
  const Result<ModelWeights> weights = OpenPackedFile(path_, kKey, config, pool_);
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().code, ErrorCode::kCorruptData);
}

TEST_F(PackedFileTest, TheFirstErrorOfTheSourceIsTold) {
  TestWeights source(SmallConfig(), true);
  source.Remove("model.visual.merger.norm.bias");
  const Status written = WritePackedFile(source, WeightFormat::kBf16, kKey, path_, pool_);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().param, "model.visual.merger.norm.bias");
}

TEST_F(PackedFileTest, AFullDiskIsAnErrorThatSaysSo) {
  TestWeights source(SmallConfig(), true);
  const Status written = WritePackedFile(source, WeightFormat::kBf16, kKey, "/dev/full", pool_);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace ocelli
