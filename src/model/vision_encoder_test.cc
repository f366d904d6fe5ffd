#include "model/vision_encoder.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>

#include "gtest/gtest.h"
#include "model/allocation_counter.h"
#include "model/test_weights.h"
#include "model/weight_loader.h"

namespace ocelli {
namespace {

constexpr size_t kMaxPatches = 2600;

class VisionEncoderTest : public testing::Test {
 protected:
  VisionEncoderTest()
      : source_(SmallConfig(), true),
        weights_(LoadWeights(source_, WeightFormat::kBf16, pool_).value()),
        encoder_(source_.config().vision_config, weights_.visual, kMaxPatches, pool_) {}

  Mat<float> SomePixels(size_t num_patches) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    Mat<float> pixels(num_patches, 48);
    std::generate_n(pixels.data(), num_patches * 48, [&] { return uniform(random); });
    return pixels;
  }

  VisionFeatures Encode(VisionEncoder& encoder, const Mat<float>& pixels, size_t grid_h,
                        size_t grid_w) {
    VisionPass pass = encoder.Begin(pixels.view(), grid_h, grid_w);
    while (pass.Step()) {
    }
    return pass.TakeFeatures();
  }

  ThreadPool pool_{2};
  TestWeights source_;
  ModelWeights weights_;
  VisionEncoder encoder_;
};

bool SameBits(const Mat<float>& a, const Mat<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), a.rows() * a.cols() * sizeof(float)) == 0;
}

TEST_F(VisionEncoderTest, StepsCountUpAndTheResultHasItsShapes) {
  const Mat<float> pixels = SomePixels(24);
  VisionPass pass = encoder_.Begin(pixels.view(), 4, 6);
  EXPECT_EQ(pass.num_steps(), 5u);
  for (size_t step = 1; step <= 5; ++step) {
    EXPECT_EQ(pass.Step(), step < 5);
    EXPECT_EQ(pass.steps_done(), step);
  }
  const VisionFeatures features = pass.TakeFeatures();
  EXPECT_EQ(features.num_tokens(), 6u);
  EXPECT_EQ(features.embeds.cols(), 36u);
  ASSERT_EQ(features.deepstack.size(), 2u);
  EXPECT_EQ(features.deepstack[1].rows(), 6u);
  EXPECT_EQ(features.size_bytes(), 3 * 6 * 36 * sizeof(float));
}

TEST_F(VisionEncoderTest, WorkingMemoryCarriesNothingOverToTheNextPicture) {
  const Mat<float> small = SomePixels(24);
  const Mat<float> large = SomePixels(400);
  const VisionFeatures before = Encode(encoder_, small, 4, 6);
  Encode(encoder_, large, 20, 20);
  const VisionFeatures after = Encode(encoder_, small, 4, 6);
  EXPECT_TRUE(SameBits(after.embeds, before.embeds));
  EXPECT_TRUE(SameBits(after.deepstack[1], before.deepstack[1]));
}

// 2600 patches are three chunks for the MLP; a plan of exactly 24 patches is a chunk of another
// size.
TEST_F(VisionEncoderTest, ChunksOfRowsDoNotChangeABit) {
  const Mat<float> large = SomePixels(2600);
  const VisionFeatures features = Encode(encoder_, large, 52, 50);
  ThreadPool one_thread(1);
  VisionEncoder other(source_.config().vision_config, weights_.visual, 2600 * 4, one_thread);
  const VisionFeatures again = Encode(other, large, 52, 50);
  EXPECT_TRUE(SameBits(again.embeds, features.embeds));
  const Mat<float> small = SomePixels(24);
  VisionEncoder tight(source_.config().vision_config, weights_.visual, 24, one_thread);
  EXPECT_TRUE(SameBits(Encode(tight, small, 6, 4).embeds, Encode(encoder_, small, 6, 4).embeds));
}

TEST_F(VisionEncoderTest, DroppedPassFreesTheEncoder) {
  const Mat<float> pixels = SomePixels(24);
  {
    VisionPass pass = encoder_.Begin(pixels.view(), 4, 6);
    pass.Step();
  }
  std::optional<VisionPass> pass(encoder_.Begin(pixels.view(), 4, 6));
  VisionPass moved = *std::move(pass);
  pass.reset();
  while (moved.Step()) {
  }
  EXPECT_EQ(moved.TakeFeatures().num_tokens(), 6u);
}

TEST_F(VisionEncoderTest, StepsAllocateNothing) {
  const Mat<float> pixels = SomePixels(2600);
  VisionPass pass = encoder_.Begin(pixels.view(), 52, 50);
  const uint64_t before = NumAllocations();
  while (pass.Step()) {
  }
  EXPECT_EQ(NumAllocations(), before);
}

TEST_F(VisionEncoderTest, PlannedBytesGrowWithThePicture) {
  const VisionConfig& config = source_.config().vision_config;
  EXPECT_EQ(encoder_.buffer_bytes(), VisionEncoder::PlannedBytes(config, kMaxPatches, 2));
  EXPECT_GT(VisionEncoder::PlannedBytes(config, 2 * kMaxPatches, 2), encoder_.buffer_bytes());
}

using VisionEncoderDeathTest = VisionEncoderTest;

TEST_F(VisionEncoderDeathTest, SecondPassBesideTheFirstIsOurBug) {
  const Mat<float> pixels = SomePixels(24);
  const VisionPass pass = encoder_.Begin(pixels.view(), 4, 6);
  EXPECT_DEATH(encoder_.Begin(pixels.view(), 4, 6), "under way");
}

TEST_F(VisionEncoderDeathTest, GridThatIsNotWholeTokensIsOurBug) {
  const Mat<float> pixels = SomePixels(15);
  EXPECT_DEATH(encoder_.Begin(pixels.view(), 5, 3), "grid 5x3");
}

}  // namespace
}  // namespace ocelli
