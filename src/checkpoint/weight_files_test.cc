#include "checkpoint/weight_files.h"

#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using nlohmann::json;
using testing::ExpectError;

TEST(WeightFiles, ReadsAnIndex) {
  const auto map = ParseWeightIndex(
      R"({"metadata": {"total_size": 8}, "weight_map": {"a": "model-1.safetensors",
          "b": "model-2.safetensors"}})",
      "index");
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(*map, (WeightMap{{"a", "model-1.safetensors"}, {"b", "model-2.safetensors"}}));
}

TEST(WeightFiles, RefusesShardsOutsideTheDirectory) {
  const std::string long_name = std::string(300, 'a') + ".safetensors";
  for (const std::string& shard :
       {std::string("../model.safetensors"), std::string("/etc/x.safetensors"),
        std::string("a/b.safetensors"), std::string("..\\a.safetensors"), std::string(".."),
        std::string(""), std::string(".safetensors"), std::string("model.bin"),
        std::string("a\n.safetensors"), std::string("a\0.safetensors", 14),
        std::string("C:a.safetensors"), long_name}) {
    const json index = {{"weight_map", {{"tensor.name", shard}}}};
    ExpectError(ParseWeightIndex(index.dump(), "index.json"), ErrorCode::kCorruptData,
                {"index.json", "\"tensor.name\"", "plain .safetensors file"});
  }
}

TEST(WeightFiles, RefusesWhatIsNoIndex) {
  for (const char* text : {"{}", R"({"weight_map": []})", R"({"weight_map": {}})", "[]", "",
                           R"({"weight_map": {"a": 1}})"}) {
    ExpectError(ParseWeightIndex(text, "index.json"), ErrorCode::kCorruptData, {"index.json"});
  }
}

TEST(WeightFiles, RefusesTooManyShards) {
  json index;
  for (int i = 0; i < 1001; ++i) {
    const std::string number = std::to_string(i);
    index["weight_map"][number] = number + ".safetensors";
  }
  ExpectError(ParseWeightIndex(index.dump(), "index.json"), ErrorCode::kTooLarge,
              {"1001 shards", "1000"});
}

TEST(WeightFiles, SurvivesRandomDamage) {
  std::mt19937 random(3);
  const std::string good =
      R"({"metadata":{"total_size":8},"weight_map":{"a":"model-1.safetensors","b":"m.safetensors"}})";
  for (int i = 0; i < 10'000; ++i) {
    const auto map = ParseWeightIndex(testing::Mutated(good, random), "index.json");
    if (!map.ok()) continue;
    for (const auto& [tensor, shard] : *map) {
      ASSERT_EQ(shard.find('/'), std::string::npos);
      ASSERT_TRUE(shard.ends_with(".safetensors"));
    }
  }
}

}  // namespace
}  // namespace ocelli
