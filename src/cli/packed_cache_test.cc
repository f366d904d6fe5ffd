#include "cli/packed_cache.h"

#include <cstdlib>
#include <fstream>

#include "base/test_directory.h"
#include "gtest/gtest.h"
#include "model/weight_compare.h"

namespace ocelli::cli {
namespace {

namespace fs = std::filesystem;

class PackedCacheTest : public ::testing::Test {
 protected:
  PackedCacheTest() {
    setenv("XDG_CACHE_HOME", (directory_.path() / "cache").c_str(), 1);
    fs::copy(OCELLI_SOURCE_DIR "/tests/golden/data/checkpoint_tied", model_,
             fs::copy_options::recursive);
  }
  ~PackedCacheTest() override { unsetenv("XDG_CACHE_HOME"); }

  Checkpoint OpenModel() { return std::move(Checkpoint::Open(model_)).value(); }

  // Expects that the file holds the checkpoint's weights when it has been asked for.
  void ExpectExact(const fs::path& path) {
    Checkpoint checkpoint = OpenModel();
    auto weights = WeightsPackedAt(path, checkpoint, WeightFormat::kPacked12, pool_);
    ASSERT_TRUE(weights.ok()) << weights.error().message;
    const auto compared = CompareWeights(checkpoint, *weights, pool_);
    EXPECT_TRUE(compared.ok()) << compared.error().message;
  }

  testing::TestDirectory directory_;
  fs::path model_ = directory_.path() / "model";
  ThreadPool pool_{2};
};

TEST_F(PackedCacheTest, WritesOnceAndReadsFromThenOn) {
  const fs::path path = PackedCache::Open()->PathOf(OpenModel(), WeightFormat::kPacked12);
  ExpectExact(path);
  const auto written_at = fs::last_write_time(path);
  ExpectExact(path);
  EXPECT_EQ(fs::last_write_time(path), written_at);
}

TEST_F(PackedCacheTest, ADamagedFileIsWrittenAgain) {
  const fs::path path = directory_.path() / "packed.safetensors";
  ExpectExact(path);
  fs::resize_file(path, fs::file_size(path) - 3);
  ExpectExact(path);
  std::ofstream(path) << "rubbish";
  ExpectExact(path);
}

TEST_F(PackedCacheTest, WhatAKilledProcessLeftIsOverwritten) {
  const fs::path path = directory_.path() / "packed.safetensors";
  std::ofstream(path.string() + ".unfinished") << std::string(100'000, 'x');
  ExpectExact(path);
  EXPECT_FALSE(fs::exists(path.string() + ".unfinished"));
}

TEST_F(PackedCacheTest, ChangedWeightsAndOtherFormatsHaveFilesOfTheirOwn) {
  const PackedCache cache = *PackedCache::Open();
  const fs::path path = cache.PathOf(OpenModel(), WeightFormat::kPacked12);
  EXPECT_NE(cache.PathOf(OpenModel(), WeightFormat::kBf16), path);
  const fs::path weights = model_ / "model.safetensors";
  fs::last_write_time(weights, fs::last_write_time(weights) + std::chrono::seconds(1));
  EXPECT_NE(cache.PathOf(OpenModel(), WeightFormat::kPacked12), path);
}

TEST_F(PackedCacheTest, ClearDeletesAllAndSaysHowMuch) {
  const PackedCache cache = *PackedCache::Open();
  EXPECT_EQ(*cache.Clear(), 0u);
  ExpectExact(cache.PathOf(OpenModel(), WeightFormat::kPacked12));
  const uint64_t size = cache.SizeBytes();
  EXPECT_GT(size, 2'000'000u);
  EXPECT_EQ(*cache.Clear(), size);
  EXPECT_EQ(cache.SizeBytes(), 0u);
}

TEST_F(PackedCacheTest, AFolderThatCannotBeWrittenIsAnError) {
  Checkpoint checkpoint = OpenModel();
  const auto weights =
      WeightsPackedAt("/proc/none/x.safetensors", checkpoint, WeightFormat::kPacked12, pool_);
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace ocelli::cli
