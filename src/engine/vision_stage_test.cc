#include "engine/vision_stage.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/fake_model_runner.h"

namespace ocelli {
namespace {

// A sequence whose prompt is one picture.
std::unique_ptr<Sequence> Picture(uint64_t key, uint64_t order, size_t cols = 4) {
  auto prompt = std::make_shared<PromptContent>();
  const auto patches = FakePatches(key, 1, cols);
  prompt->token_ids.assign(cols + 1, FakeModelRunner::kImageToken);
  prompt->units.resize(cols + 1);
  prompt->runs = {{0, cols, patches}};
  return std::make_unique<Sequence>(prompt, order, 100, 0);
}

class VisionStageTest : public ::testing::Test {
 protected:
  // Runs until `sequences` have their pictures; returns how many steps it took.
  size_t EncodeAll(VisionStage& stage, std::vector<Sequence*> sequences) {
    size_t steps = 0;
    while (stage.Step(sequences, {})) {
      ++steps;
      stage.Hand(sequences);
    }
    return steps;
  }

  FakeModelRunner runner_;
};

TEST_F(VisionStageTest, EncodesAPictureOnceForAllWhoWantIt) {
  VisionStage stage(runner_, 1000);
  const auto a = Picture(1, 0);
  const auto b = Picture(1, 1);
  EXPECT_EQ(EncodeAll(stage, {a.get(), b.get()}), FakeModelRunner::kEncoderSteps);
  EXPECT_NE(a->picture, nullptr);
  EXPECT_EQ(a->picture, b->picture);
  EXPECT_EQ(runner_.num_encodes(), 1u);
}

TEST_F(VisionStageTest, ASecondAskForTheSamePictureIsAHit) {
  VisionStage stage(runner_, 1000);
  const auto a = Picture(1, 0);
  EncodeAll(stage, {a.get()});
  const auto later = Picture(1, 1);
  std::vector<Sequence*> list = {later.get()};
  EXPECT_EQ(stage.Hand(list), 1u);
  EXPECT_FALSE(stage.Step(list, {}).has_value());
}

TEST_F(VisionStageTest, PicturesAreEncodedInOrder) {
  VisionStage stage(runner_, 1000);
  const auto a = Picture(1, 0);
  const auto b = Picture(2, 1);
  std::vector<Sequence*> list = {a.get(), b.get()};
  const auto first = stage.Step(list, {});
  EXPECT_EQ(first->key, a->prompt().runs[0].patches->key);
  EXPECT_EQ(first->done_steps, 1u);
  EXPECT_EQ(EncodeAll(stage, list), 2 * FakeModelRunner::kEncoderSteps - 1);
}

TEST_F(VisionStageTest, DropsAPictureThatNobodyWantsAnyMore) {
  VisionStage stage(runner_, 1000);
  const auto a = Picture(1, 0);
  const auto b = Picture(2, 1);
  std::vector<Sequence*> list = {a.get(), b.get()};
  stage.Step(list, {});
  list = {b.get()};
  const auto next = stage.Step(list, {});
  EXPECT_EQ(next->key, b->prompt().runs[0].patches->key);
  EXPECT_EQ(next->done_steps, 1u);
  stage.Step({}, {});
  EXPECT_FALSE(runner_.is_encoding());
  EXPECT_EQ(stage.cache().used_bytes(), 0u);
}

TEST_F(VisionStageTest, KeepsAPictureThatAWaitingSequenceWants) {
  VisionStage stage(runner_, 1000);
  const auto a = Picture(1, 0);
  std::vector<Sequence*> list = {a.get()};
  stage.Step(list, {});
  EXPECT_EQ(stage.Step({}, list)->done_steps, 2u);
}

TEST_F(VisionStageTest, WaitsUntilPicturesInUseLeaveRoom) {
  VisionStage stage(runner_, 40);
  const auto a = Picture(1, 0);
  const auto b = Picture(2, 1);
  std::vector<Sequence*> list = {a.get(), b.get()};
  EXPECT_EQ(EncodeAll(stage, list), FakeModelRunner::kEncoderSteps);
  EXPECT_EQ(b->picture, nullptr);
  a->picture.reset();
  a->num_computed = 4;
  EXPECT_EQ(EncodeAll(stage, list), FakeModelRunner::kEncoderSteps);
  EXPECT_NE(b->picture, nullptr);
  EXPECT_EQ(stage.cache().used_bytes(), 40u);
}

}  // namespace
}  // namespace ocelli
