#include "api/models_list.h"

#include <string>

#include "api/test_support.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

const ModelCard kCard = {"Qwen3-VL-2B-Instruct", 1'700'000'000, 32'768};

TEST(ModelsList, HasTheFourStandardFieldsAndWhatTheModelTakes) {
  const TestJson list = MustParse(ModelsListJson(kCard));
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 1u);
  EXPECT_EQ(list["data"][0].dump(),
            R"({"id":"Qwen3-VL-2B-Instruct","object":"model","created":1700000000,)"
            R"("owned_by":"ocelli","context_length":32768,"max_model_len":32768,)"
            R"("modalities":{"input":["text","image"],"output":["text"]},)"
            R"("capabilities":{"vision":true,"streaming":true,"logprobs":true,"tools":false,)"
            R"("structured_outputs":false}})");
}

TEST(ModelsList, OneModelIsTheItemOfTheList) {
  const TestJson list = MustParse(ModelsListJson(kCard));
  EXPECT_EQ(MustParse(*ModelJson(kCard, "qwen/qwen3-vl-2b-instruct")), list["data"][0]);
  const auto other = ModelJson(kCard, std::string(10'000, '\xFF'));
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
