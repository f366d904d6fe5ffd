#include "api/models_list.h"

#include <string>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

ModelCard Card() {
  ModelCard card;
  card.id = "Qwen3-VL-2B-Instruct";
  card.created = 1'700'000'000;
  card.max_context_tokens = 32'768;
  card.default_params.temperature = 0.7f;
  card.default_params.top_p = 0.8f;
  card.default_params.top_k = 20;
  card.default_params.presence_penalty = 1.5f;
  card.max_body_bytes = 67'108'864;
  card.max_file_bytes = 33'554'432;
  card.max_source_pixels = 100'000'000;
  card.max_pictures = 64;
  return card;
}

TestJson PicturesOf(const ModelCard& card) {
  return MustParse(ModelsListJson(card))["data"][0]["pictures"];
}

TEST(ModelsList, HasTheFourStandardFieldsAndWhatTheModelTakes) {
  const TestJson list = MustParse(ModelsListJson(Card()));
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 1u);
  EXPECT_EQ(
      list["data"][0].dump(),
      R"({"id":"Qwen3-VL-2B-Instruct","object":"model","created":1700000000,)"
      R"("owned_by":"ocelli","context_length":32768,"max_model_len":32768,"max_body_bytes":67108864,)"
      R"("modalities":{"input":["text","image"],"output":["text"]},)"
      R"("capabilities":{"vision":true,"streaming":true,"logprobs":true,"tools":false,)"
      R"("structured_outputs":false,"reasoning":false},)"
      R"("default_sampling":{"temperature":0.7,"top_p":0.8,"top_k":20,"min_p":0.0,)"
      R"("repetition_penalty":1.0,"presence_penalty":1.5,"frequency_penalty":0.0,)"
      R"("max_tokens":512},)"
      R"("pictures":{"token_side":32,"min_pixels":65536,"max_pixels":16777216,)"
      R"("default_max_image_tokens":1024,"max_file_bytes":33554432,)"
      R"("max_source_pixels":100000000,"max_pictures":64}})");
}

TEST(ModelsList, PictureBoundsAreThoseOfAPictureThatNamesNothing) {
  ModelCard card = Card();
  card.default_picture.max_image_tokens = 300;
  EXPECT_EQ(PicturesOf(card)["default_max_image_tokens"], 300);
  EXPECT_EQ(PicturesOf(card)["max_pixels"], 16'777'216);
  // A bound on the area takes the place of the default budget and cannot raise the checkpoint's.
  card.default_picture = {};
  card.default_picture.min_pixels = 2'048;
  card.default_picture.max_pixels = 4'194'304;
  EXPECT_EQ(PicturesOf(card)["min_pixels"], 2'048);
  EXPECT_EQ(PicturesOf(card)["max_pixels"], 4'194'304);
  EXPECT_EQ(PicturesOf(card)["default_max_image_tokens"], 4'096);
  card.default_picture.max_pixels = uint64_t{1} << 30;
  EXPECT_EQ(PicturesOf(card)["max_pixels"], 16'777'216);
  EXPECT_EQ(PicturesOf(card)["default_max_image_tokens"], 16'384);
}

TEST(ModelsList, OneModelIsTheItemOfTheList) {
  const TestJson list = MustParse(ModelsListJson(Card()));
  EXPECT_EQ(MustParse(*ModelJson(Card(), "qwen/qwen3-vl-2b-instruct")), list["data"][0]);
  const auto other = ModelJson(Card(), std::string(10'000, '\xFF'));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(other.error().param, "model");
  EXPECT_LT(other.error().message.size(), 1000u);
}

TEST(ModelsList, NamesAreComparedWithoutCaseAndOwner) {
  EXPECT_TRUE(CheckModelName("Qwen/X", "x").ok());
  EXPECT_TRUE(CheckModelName("x", "Qwen/X").ok());
  EXPECT_FALSE(CheckModelName("", "x").ok());
  EXPECT_FALSE(CheckModelName("xy", "x").ok());
}

}  // namespace
}  // namespace ocelli::api
