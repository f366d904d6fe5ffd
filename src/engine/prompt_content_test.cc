#include "engine/prompt_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fake_model_runner.h"
#include "engine/test_engine.h"

namespace ocelli {
namespace {

using ::testing::HasSubstr;

Result<std::shared_ptr<const PromptContent>> Make(const GenerateRequest& request) {
  return MakePromptContent(request, FakeModelRunner().traits());
}

void ExpectRefused(const GenerateRequest& request, ErrorCode code, const std::string& text) {
  const auto content = Make(request);
  ASSERT_FALSE(content.ok()) << text;
  EXPECT_EQ(content.error().code, code);
  EXPECT_THAT(content.error().message, HasSubstr(text));
}

TEST(PromptContent, PlacesPicturesInOrder) {
  const auto content = Make(
      MakeRequest("ab#c##", 1, {FakePatches(1, 2, 3), FakePatches(2, 1, 1), FakePatches(3, 1, 2)}));
  ASSERT_TRUE(content.ok());
  const auto& runs = (*content)->runs;
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].begin, 2u);
  EXPECT_EQ(runs[0].end, 8u);
  EXPECT_EQ(runs[1].begin, 9u);
  EXPECT_EQ(runs[2].begin, 10u);
  EXPECT_EQ(runs[2].end, 12u);
  EXPECT_EQ((*content)->num_image_tokens(), 9u);
  EXPECT_EQ((*content)->units[3], ContentUnit::Image({1, 2003}, 1));
  EXPECT_EQ((*content)->units[11], ContentUnit::Image({3, 1002}, 1));
  EXPECT_EQ((*content)->units[8], ContentUnit::Token('c'));
}

TEST(PromptContent, EveryPictureIsUsedOrTheRequestFails) {
  ExpectRefused(MakeRequest("abc", 1, {FakePatches(1, 1, 2)}), ErrorCode::kInvalidArgument,
                "picture 0 needs a run of 2 image tokens in the prompt, which has 0");
  GenerateRequest two_for_one = MakeRequest("a#", 1, {FakePatches(1, 1, 2)});
  two_for_one.pictures.push_back(FakePatches(2, 1, 2));
  ExpectRefused(two_for_one, ErrorCode::kInvalidArgument, "picture 1 needs a run of 2");
  GenerateRequest none_for_one = MakeRequest("a#", 1, {FakePatches(1, 1, 2)});
  none_for_one.pictures.clear();
  ExpectRefused(none_for_one, ErrorCode::kInvalidArgument, "image token without a picture");
  GenerateRequest smaller = MakeRequest("a#", 1, {FakePatches(1, 1, 2)});
  smaller.pictures = {FakePatches(1, 1, 1)};
  ExpectRefused(smaller, ErrorCode::kInvalidArgument, "image token without a picture");
}

TEST(PromptContent, RefusesTokensThatDoNotExistAndNothing) {
  GenerateRequest request = MakeRequest("ab");
  request.prompt_token_ids[1] = FakeModelRunner::kVocabSize;
  ExpectRefused(request, ErrorCode::kInvalidArgument, "token 1 of the prompt is 300");
  request.prompt_token_ids[1] = -1;
  ExpectRefused(request, ErrorCode::kInvalidArgument, "is -1");
  ExpectRefused(MakeRequest(""), ErrorCode::kInvalidArgument, "empty");
}

TEST(PromptContent, RefusesPicturesThatAreNotPreparedForThisModel) {
  auto wrong = std::make_shared<Patches>(Patches{});
  wrong->grid_h = 2;
  wrong->grid_w = 2;
  wrong->image_tokens = 2;
  GenerateRequest request = MakeRequest("a");
  request.pictures = {wrong};
  ExpectRefused(request, ErrorCode::kInvalidArgument, "2 image tokens for a grid of 2 x 2");
  request.pictures = {nullptr};
  ExpectRefused(request, ErrorCode::kInvalidArgument, "picture 0 is missing");
  ExpectRefused(MakeRequest("#", 1, {FakePatches(1, 13, 5)}), ErrorCode::kTooLarge,
                "65 image tokens; the limit is 64");
}

}  // namespace
}  // namespace ocelli
