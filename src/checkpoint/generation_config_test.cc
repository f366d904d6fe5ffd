#include "checkpoint/generation_config.h"

#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using testing::ExpectError;

TEST(GenerationConfig, ReadsThePublishedFile) {
  const auto config = ParseGenerationConfig(R"({"bos_token_id": 151643, "pad_token_id": 151643,
    "do_sample": true, "eos_token_id": [151645, 151643], "top_k": 20, "top_p": 0.8,
    "repetition_penalty": 1.0, "temperature": 0.7, "transformers_version": "4.56.0"})",
                                            "generation_config.json");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_TRUE(config->do_sample);
  EXPECT_EQ(config->temperature, 0.7);
  EXPECT_EQ(config->top_k, 20u);
  EXPECT_EQ(config->top_p, 0.8);
  EXPECT_EQ(config->repetition_penalty, 1.0);
  EXPECT_EQ(config->eos_token_ids, (std::vector<int32_t>{151'645, 151'643}));
}

TEST(GenerationConfig, OneEosTokenMayBeANumber) {
  EXPECT_EQ(ParseGenerationConfig(R"({"eos_token_id": 5})", "g")->eos_token_ids,
            std::vector<int32_t>{5});
}

TEST(GenerationConfig, AnAbsentFileIsGreedy) {
  const testing::TestDirectory directory;
  const auto config = ReadGenerationConfig(directory.path() / "generation_config.json");
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(config->do_sample);
  EXPECT_TRUE(config->eos_token_ids.empty());
}

TEST(GenerationConfig, RefusesValuesOutOfRange) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"temperature": -0.1})", "temperature is -0.1"},
      {R"({"temperature": "hot"})", "temperature is \"hot\""},
      {R"({"top_k": -1})", "top_k is -1"},
      {R"({"top_p": 1.5})", "top_p is 1.5"},
      {R"({"repetition_penalty": 0})", "repetition_penalty is 0"},
      {R"({"eos_token_id": [1, "x"]})", "eos_token_id is \"x\""},
      {R"({"eos_token_id": 4294967296})", "eos_token_id is 4294967296"},
      {R"({"do_sample": "yes"})", "do_sample is \"yes\""},
  };
  for (const auto& [text, words] : cases) {
    ExpectError(ParseGenerationConfig(text, "generation_config.json"), ErrorCode::kInvalidArgument,
                {"generation_config.json", words});
  }
}

}  // namespace
}  // namespace ocelli
