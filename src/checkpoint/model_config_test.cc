#include "checkpoint/model_config.h"

#include <fmt/format.h>

#include "checkpoint/parameter_counts.h"
#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using nlohmann::json;
using testing::ExpectError;
using testing::TinyConfig;

// A published size: what differs between them.
struct Published {
  const char* name;
  size_t hidden, intermediate, layers, heads;
  bool tied;
  size_t depth, vision_hidden, vision_intermediate;
  std::vector<size_t> deepstack;
  uint64_t parameters;  // as the model's page on the hub states it
};

void PrintTo(const Published& size, std::ostream* out) { *out << size.name; }

// The config.json of a published model, in the style of its first release.
json PublishedConfig(const Published& size) {
  json config = json::parse(R"({
    "architectures": ["Qwen3VLForConditionalGeneration"], "image_token_id": 151655,
    "model_type": "qwen3_vl", "transformers_version": "4.57.0.dev0", "video_token_id": 151656,
    "vision_start_token_id": 151652, "vision_end_token_id": 151653,
    "text_config": {"attention_bias": false, "attention_dropout": 0.0, "bos_token_id": 151643,
      "dtype": "bfloat16", "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu",
      "initializer_range": 0.02, "max_position_embeddings": 262144, "model_type": "qwen3_vl_text",
      "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_theta": 5000000, "use_cache": true,
      "rope_scaling": {"mrope_interleaved": true, "mrope_section": [24, 20, 20],
                       "rope_type": "default"}, "vocab_size": 151936},
    "vision_config": {"hidden_act": "gelu_pytorch_tanh", "in_channels": 3,
      "initializer_range": 0.02, "model_type": "qwen3_vl", "num_heads": 16,
      "num_position_embeddings": 2304, "patch_size": 16, "spatial_merge_size": 2,
      "temporal_patch_size": 2}})");
  config["tie_word_embeddings"] = size.tied;
  json& text = config["text_config"];
  text["hidden_size"] = size.hidden;
  text["intermediate_size"] = size.intermediate;
  text["num_hidden_layers"] = size.layers;
  text["num_attention_heads"] = size.heads;
  json& vision = config["vision_config"];
  vision["depth"] = size.depth;
  vision["hidden_size"] = size.vision_hidden;
  vision["intermediate_size"] = size.vision_intermediate;
  vision["out_hidden_size"] = size.hidden;
  vision["deepstack_visual_indexes"] = size.deepstack;
  return config;
}

class PublishedModelConfig : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedModelConfig, IsReadAndCountsThePublishedParameters) {
  const Published& size = GetParam();
  const auto config = ParseModelConfig(PublishedConfig(size).dump(), "config.json");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(CountParameters(*config).total(), size.parameters);
  EXPECT_EQ(config->vision_config.num_grid_per_side(), 48u);
  EXPECT_EQ(config->vision_config.head_dim(), size.vision_hidden / 16);
  EXPECT_EQ(config->vision_config.deepstack_visual_indexes, size.deepstack);
  EXPECT_EQ(config->text_config.rope_theta, 5e6);
  EXPECT_EQ(config->text_config.mrope_section, (std::array<size_t, 3>{24, 20, 20}));
  EXPECT_EQ(config->tie_word_embeddings, size.tied);
  EXPECT_EQ(config->image_token_id, 151'655);
  EXPECT_EQ(config->eos_token_ids, std::vector<int32_t>{151'645});
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, PublishedModelConfig,
    ::testing::Values(
        Published{"2B", 2048, 6144, 28, 16, true, 24, 1024, 4096, {5, 11, 17}, 2'127'532'032},
        Published{"4B", 2560, 9728, 36, 32, true, 24, 1024, 4096, {5, 11, 17}, 4'437'815'808},
        Published{"8B", 4096, 12288, 36, 32, false, 27, 1152, 4304, {8, 16, 24}, 8'767'123'696},
        Published{"32B", 5120, 25600, 64, 64, false, 27, 1152, 4304, {8, 16, 24}, 33'357'390'064}),
    [](const auto& suite) { return std::string("Model") + suite.param.name; });

TEST(ModelConfig, OldAndNewStyleOfRopeSayTheSame) {
  json old_style = TinyConfig();
  json& text = old_style["text_config"];
  text["rope_scaling"] = text["rope_parameters"];
  text["rope_scaling"].erase("rope_theta");
  text["rope_theta"] = 10'000;
  text.erase("rope_parameters");
  const auto a = ParseModelConfig(TinyConfig().dump(), "config.json");
  const auto b = ParseModelConfig(old_style.dump(), "config.json");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->text_config.rope_theta, b->text_config.rope_theta);
  EXPECT_EQ(a->text_config.mrope_section, b->text_config.mrope_section);
}

TEST(ModelConfig, ReadsBothGoldenCheckpoints) {
  const auto tied = ReadModelConfig(testing::GoldenPath("checkpoint_tied/config.json"));
  const auto untied = ReadModelConfig(testing::GoldenPath("checkpoint_untied/config.json"));
  ASSERT_TRUE(tied.ok()) << tied.error().message;
  ASSERT_TRUE(untied.ok()) << untied.error().message;
  EXPECT_TRUE(tied->tie_word_embeddings);
  EXPECT_FALSE(untied->tie_word_embeddings);
  for (const ModelConfig& config : {*tied, *untied}) {
    EXPECT_EQ(config.text_config.rope_theta, 5e6);
    EXPECT_EQ(config.text_config.q_size(), 192u);
    EXPECT_EQ(config.vision_config.num_grid_per_side(), 7u);
    EXPECT_EQ(config.vision_config.patch_floats(), 1536u);
  }
}

TEST(ModelConfig, TieWordEmbeddingsIsTakenFromOutsideThenInside) {
  const auto tied = [](const json& config) {
    return ParseModelConfig(config.dump(), "config.json")->tie_word_embeddings;
  };
  json config = TinyConfig();
  config.erase("tie_word_embeddings");
  EXPECT_FALSE(tied(config));
  config["text_config"]["tie_word_embeddings"] = true;
  EXPECT_TRUE(tied(config));
  config["tie_word_embeddings"] = false;
  EXPECT_FALSE(tied(config));
}

TEST(ModelConfig, EosMayBeOneNumberAListOrAbsent) {
  json config = TinyConfig();
  config["text_config"]["eos_token_id"] = {7, 8};
  EXPECT_EQ(ParseModelConfig(config.dump(), "c")->eos_token_ids, (std::vector<int32_t>{7, 8}));
  config["text_config"]["eos_token_id"] = nullptr;
  EXPECT_TRUE(ParseModelConfig(config.dump(), "c")->eos_token_ids.empty());
}

// One change to a good config and what the refusal must say.
struct Refusal {
  const char* pointer;  // JSON pointer of the field
  const char* value;    // JSON, or "" to remove the field
  ErrorCode code;
  const char* words;
};

constexpr ErrorCode kBad = ErrorCode::kInvalidArgument;
constexpr ErrorCode kOther = ErrorCode::kUnsupported;

const Refusal kRefusals[] = {
    {"/model_type", "\"llama\"", kOther, "\"llama\""},
    {"/model_type", "\"qwen2_vl\"", kOther, "Qwen/Qwen3-VL-2B-Instruct"},
    {"/model_type", "\"qwen3_vl_moe\"", kOther, "\"qwen3_vl_moe\""},
    {"/model_type", "\"\\u001b[31m\"", kOther, "\\x1b[31m"},
    {"/model_type", "7", kBad, "model_type is 7"},
    {"/model_type", "", kOther, "model_type is missing"},
    {"/quantization_config", "{\"quant_method\": \"fp8\"}", kOther, "\"fp8\""},
    {"/quantization_config", "{\"quant_method\": \"awq\"}", kOther, "\"awq\""},
    {"/quantization_config", "{\"quant_method\": \"fp8\", \"weight_block_size\": [0, 128]}", kOther,
     "weight_block_size"},
    {"/quantization_config",
     "{\"quant_method\": \"fp8\", \"fmt\": \"e5m2\", \"weight_block_size\": [128, 128]}", kOther,
     "e4m3"},
    {"/text_config", "", kBad, "text_config is missing"},
    {"/text_config", "[1]", kBad, "a list of 1"},
    {"/vision_config", "null", kBad, "vision_config is missing"},
    {"/image_token_id", "9", kBad, "image_token_id is 9"},
    {"/image_token_id", "", kBad, "image_token_id is missing"},
    {"/tie_word_embeddings", "1", kBad, "not true or false"},
    {"/text_config/hidden_size", "0", kBad, "text_config.hidden_size is 0"},
    {"/text_config/hidden_size", "-4", kBad, "text_config.hidden_size is -4"},
    {"/text_config/hidden_size", "4.0", kBad, "whole number"},
    {"/text_config/hidden_size", "\"4\"", kBad, "is \"4\""},
    {"/text_config/hidden_size", "18446744073709551616", kBad, "text_config.hidden_size"},
    {"/text_config/hidden_size", "65537", kBad, "from 1 to 65536"},
    {"/text_config/hidden_size", "", kBad, "text_config.hidden_size is missing"},
    {"/text_config/hidden_size", "8", kBad, "out_hidden_size is 4"},
    {"/text_config/num_hidden_layers", "1000000", kBad, "num_hidden_layers is 1000000"},
    {"/text_config/num_key_value_heads", "4", kBad, "multiple of num_key_value_heads (4)"},
    {"/text_config/num_key_value_heads", "0", kBad, "num_key_value_heads is 0"},
    {"/text_config/head_dim", "10", kBad, "sum to head_dim / 2"},
    {"/text_config/vocab_size", "4294967296", kBad, "vocab_size"},
    {"/text_config/rms_norm_eps", "-1", kBad, "rms_norm_eps is -1"},
    {"/text_config/hidden_act", "\"gelu\"", kOther, "only \"silu\""},
    {"/text_config/attention_bias", "true", kOther, "text_config.attention_bias is true"},
    {"/text_config/eos_token_id", "99", kBad, "eos_token_id is 99"},
    {"/text_config/rope_parameters", "", kBad, "rope_theta is missing"},
    {"/text_config/rope_parameters/rope_theta", "0", kBad, "rope_parameters.rope_theta is 0"},
    {"/text_config/rope_parameters/rope_type", "\"yarn\"", kOther, "\"yarn\""},
    {"/text_config/rope_parameters/mrope_interleaved", "false", kOther, "mrope_interleaved"},
    {"/text_config/rope_parameters/mrope_section", "[2, 2, 1]", kBad, "sum to head_dim / 2"},
    {"/text_config/rope_parameters/mrope_section", "[4]", kBad, "three numbers"},
    {"/text_config/rope_parameters/mrope_section", "[0, 2, 2]", kBad, "more than a third"},
    {"/text_config/rope_parameters/partial_rotary_factor", "0.5", kBad, "must be 1"},
    {"/vision_config/num_heads", "3", kBad, "num_heads (3) times a multiple of 4"},
    {"/vision_config/hidden_size", "12", kBad, "hidden_size is 12"},
    {"/vision_config/hidden_act", "\"gelu\"", kOther, "gelu_pytorch_tanh"},
    {"/vision_config/in_channels", "1", kBad, "in_channels is 1"},
    {"/vision_config/patch_size", "65", kBad, "patch_size is 65"},
    {"/vision_config/spatial_merge_size", "0", kBad, "spatial_merge_size is 0"},
    {"/vision_config/num_position_embeddings", "5", kBad, "5, not a square"},
    {"/vision_config/out_hidden_size", "8", kBad, "text_config.hidden_size is 4"},
    {"/vision_config/deepstack_visual_indexes", "[2]", kBad, "below depth (2)"},
    {"/vision_config/deepstack_visual_indexes", "[1, 0]", kBad, "must increase"},
    {"/vision_config/deepstack_visual_indexes", "[0, 0]", kBad, "must increase"},
    {"/vision_config/deepstack_visual_indexes", "\"all\"", kBad, "must be a list"},
};

TEST(ModelConfig, RefusesEveryBadFieldByNameAndValue) {
  for (const Refusal& refusal : kRefusals) {
    SCOPED_TRACE(fmt::format("{} = {}", refusal.pointer, refusal.value));
    json config = TinyConfig();
    const json::json_pointer pointer(refusal.pointer);
    if (*refusal.value == '\0') {
      config[pointer.parent_pointer()].erase(pointer.back());
    } else {
      config[pointer] = json::parse(refusal.value);
    }
    ExpectError(ParseModelConfig(config.dump(), "config.json"), refusal.code,
                {"config.json", refusal.words});
  }
}

TEST(ModelConfig, RefusesMoreDeepstackFeaturesThanLayers) {
  json config = TinyConfig();
  config["text_config"]["num_hidden_layers"] = 1;
  config["vision_config"]["deepstack_visual_indexes"] = {0, 1};
  ExpectError(ParseModelConfig(config.dump(), "config.json"), kBad, {"more than the 1 layers"});
}

TEST(ModelConfig, RefusesWhatIsNotAJsonObject) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "is empty"},
      {"{", "syntax error at byte"},
      {"[]", "not a JSON object"},
      {"{\"a\": 1e999}", "out of range"},
      {"{\"a\": \"\xff\"}", "syntax error"},
      {"<!DOCTYPE html><html>", "HTML page"},
      {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
      {std::string(100'000, '['), "nests deeper"},
  };
  for (const auto& [text, words] : cases) {
    ExpectError(ParseModelConfig(text, "config.json"), ErrorCode::kCorruptData,
                {"config.json", words});
  }
}

TEST(ModelConfig, SurvivesRandomDamage) {
  std::mt19937 random(1);
  const std::string good = TinyConfig().dump();
  size_t refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto config = ParseModelConfig(testing::Mutated(good, random), "config.json");
    if (config.ok()) {
      ExpectedTensors(*config);
    } else {
      EXPECT_FALSE(config.error().message.empty());
      ++refused;
    }
  }
  EXPECT_GT(refused, 5'000u);
}

}  // namespace
}  // namespace ocelli
