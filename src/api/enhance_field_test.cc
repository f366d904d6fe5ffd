#include "api/enhance_field.h"

#include <nlohmann/json.hpp>
#include <string>

#include "api/predict.h"
#include "api/test_support.h"
#include "api/usage_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

Result<std::optional<EnhanceOptions>> Parse(std::string_view text) {
  return ParseEnhance(Json::parse(text), "pictures[0]");
}

TEST(EnhanceField, TrueMeansTheDefaultsAndFalseOrNullNothing) {
  EXPECT_EQ(Parse("true").value(), EnhanceOptions());
  EXPECT_FALSE(Parse("false").value().has_value());
  EXPECT_FALSE(Parse("null").value().has_value());
}

TEST(EnhanceField, StepsAreSetOneByOne) {
  EnhanceOptions expected;
  expected.turn = 270;
  expected.page = false;
  expected.binarize = true;
  EXPECT_EQ(Parse(R"({"turn": 270, "page": false, "binarize": true, "light": null})").value(),
            expected);
  EXPECT_EQ(Parse("{}").value(), EnhanceOptions());
}

TEST(EnhanceField, WhatItDoesNotKnowIsNamed) {
  for (const auto& [text, part] : {std::pair(R"({"turn": 45})", "enhance.turn"),
                                   {R"({"turn": "90"})", "enhance.turn"},
                                   {R"({"light": 1})", "enhance.light"},
                                   {R"({"sharpen": true})", "sharpen"},
                                   {"1", "'enhance' is"},
                                   {"[]", "'enhance' is"},
                                   {R"("yes")", "'enhance' is"}}) {
    const auto parsed = Parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(part));
    EXPECT_EQ(parsed.error().param, "pictures[0]");
  }
}

TEST(EnhanceField, StandsInAPictureItsUrlOrBesideAllOfThem) {
  Conversation conversation = ParseConversationText(R"([{"role": "user", "content": [
          {"type": "image_url", "image_url": {"url": "data:a", "enhance": {"turn": 90}}},
          {"type": "image_url", "image_url": "data:a", "enhance": true},
          {"type": "image_url", "image_url": "data:a"}]}])")
                                  .value();
  EXPECT_EQ(conversation.pictures[0].enhance->turn, 90);
  EXPECT_EQ(conversation.pictures[1].enhance, EnhanceOptions());
  EXPECT_FALSE(conversation.pictures[2].enhance.has_value());
}

Result<GenerationCall> Predict(std::string_view body) {
  return ParsePredictRequest("application/json", body, TestDefaults());
}

TEST(EnhanceField, PredictAsksForAllTextWhereNothingIsAsked) {
  const auto call = Predict(R"({"image": "data:a", "enhance": true})");
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->conversation.pictures[0].enhance, EnhanceOptions());
  EXPECT_EQ(call->conversation.messages[0].content.back().text, kReadAllText);
  const auto asked = Predict(R"({"image": "data:a", "enhance": true, "question": "Total?"})");
  EXPECT_EQ(asked->conversation.messages[0].content.back().text, "Total?");
  EXPECT_FALSE(Predict(R"({"image": "data:a"})").ok());
  EXPECT_FALSE(Predict(R"({"image": "data:a", "enhance": false})").ok());
}

TEST(EnhanceField, WhatWasDoneStandsWithTheSizes) {
  auto facts = std::make_shared<EnhanceFacts>();
  facts->size = {40, 30};
  facts->steps = {"deskew"};
  const PictureUse use{{80, 60}, {64, 64}, 4, facts};
  const Json enhanced = PicturesJson(std::span(&use, 1))[0]["enhanced"];
  EXPECT_EQ(enhanced["size"]["width"], 40);
  EXPECT_EQ(enhanced["steps"], Json({"deskew"}));
  EXPECT_EQ(enhanced["to_original"].size(), 9u);
  const PictureUse plain{{80, 60}, {64, 64}, 4, nullptr};
  EXPECT_FALSE(PicturesJson(std::span(&plain, 1))[0].contains("enhanced"));
}

}  // namespace
}  // namespace ocelli::api
