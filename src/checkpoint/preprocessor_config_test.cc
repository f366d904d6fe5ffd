#include "checkpoint/preprocessor_config.h"

#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using testing::ExpectError;

Result<PreprocessorConfig> Parse(std::string_view json) {
  return ParsePreprocessorConfig(json, "preprocessor_config.json", PreprocessorConfig());
}

TEST(PreprocessorConfig, ReadsThePublishedFile) {
  const auto config = Parse(R"({"size": {"longest_edge": 16777216, "shortest_edge": 65536},
    "patch_size": 16, "temporal_patch_size": 2, "merge_size": 2, "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5], "processor_class": "Qwen3VLProcessor",
    "image_processor_type": "Qwen2VLImageProcessorFast"})");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->min_pixels, 65'536u);
  EXPECT_EQ(config->max_pixels, 16'777'216u);
  EXPECT_EQ(config->token_side_px(), 32u);
  EXPECT_EQ(config->min_image_tokens(), 64u);
  EXPECT_EQ(config->max_image_tokens(), 16'384u);
}

TEST(PreprocessorConfig, MinAndMaxPixelsOverruleSize) {
  const auto config = Parse(R"({"min_pixels": 3136, "max_pixels": 1003520,
    "size": {"longest_edge": 16777216, "shortest_edge": 65536}})");
  EXPECT_EQ(config->min_pixels, 3136u);
  EXPECT_EQ(config->max_pixels, 1'003'520u);
}

TEST(PreprocessorConfig, AnAbsentFileGivesTheDefaults) {
  const testing::TestDirectory directory;
  PreprocessorConfig defaults;
  defaults.patch_size = 14;
  const auto config =
      ReadPreprocessorConfig(directory.path() / "preprocessor_config.json", defaults);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->patch_size, 14u);
}

TEST(PreprocessorConfig, AcceptsTheStepsThatWeDoWhenTheyAreSpeltOut) {
  EXPECT_TRUE(Parse(R"({"do_resize": true, "do_rescale": true, "do_normalize": true,
    "do_convert_rgb": true, "resample": 3, "rescale_factor": 0.00392156862745098,
    "image_processor_type": "Qwen2VLImageProcessor"})")
                  .ok());
}

TEST(PreprocessorConfig, NamesEveryStepThatDiffersFromOurs) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"do_rescale": false})", "do_rescale is false"},
      {R"({"do_normalize": false})", "do_normalize is false"},
      {R"({"do_resize": false})", "do_resize is false"},
      {R"({"do_convert_rgb": false})", "do_convert_rgb is false"},
      {R"({"do_center_crop": true})", "do_center_crop is true"},
      {R"({"resample": 2})", "resample is not 3"},
      {R"({"rescale_factor": 1.0})", "rescale_factor is not 1/255"},
      {R"({"image_processor_type": "CLIPImageProcessor"})", "\"CLIPImageProcessor\""},
  };
  for (const auto& [text, words] : cases) {
    ExpectError(Parse(text), ErrorCode::kUnsupported, {"preprocessor_config.json", words});
  }
}

TEST(PreprocessorConfig, RefusesValuesOutOfRange) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"min_pixels": 5000, "max_pixels": 4000})", "min_pixels is 5000"},
      {R"({"min_pixels": 0})", "min_pixels is 0"},
      {R"({"min_pixels": 1, "max_pixels": 1023})", "one token of 32 x 32"},
      {R"({"max_pixels": 99999999999})", "max_pixels is 99999999999"},
      {R"({"size": 224})", "size is 224, not an object"},
      {R"({"image_std": [0.5, 0.5, 0]})", "image_std is 0"},
      {R"({"image_mean": [0.5]})", "three numbers"},
      {R"({"merge_size": 9})", "merge_size is 9"},
  };
  for (const auto& [text, words] : cases) {
    ExpectError(Parse(text), ErrorCode::kInvalidArgument, {words});
  }
}

}  // namespace
}  // namespace ocelli
