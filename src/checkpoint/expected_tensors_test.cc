#include "checkpoint/expected_tensors.h"

#include <map>

#include "checkpoint/safetensors.h"
#include "checkpoint/test_files.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using testing::GoldenPath;
using Shapes = std::map<std::string, std::vector<size_t>>;

Shapes ShapesInFiles(const std::filesystem::path& directory) {
  Shapes shapes;
  for (const auto& item : std::filesystem::directory_iterator(directory)) {
    if (item.path().extension() != ".safetensors") continue;
    const auto file = SafetensorsFile::Open(item.path());
    for (const SafetensorsEntry& entry : file->entries()) shapes[entry.name] = entry.shape;
  }
  return shapes;
}

TEST(ExpectedTensors, AreExactlyThoseThatTheReferenceSaves) {
  for (const char* name : {"checkpoint_tied", "checkpoint_untied"}) {
    const auto config = ReadModelConfig(GoldenPath(name) / "config.json");
    ASSERT_TRUE(config.ok());
    Shapes expected;
    for (const TensorSpec& spec : ExpectedTensors(*config)) expected[spec.name] = spec.shape;
    EXPECT_EQ(expected, ShapesInFiles(GoldenPath(name))) << name;
  }
}

TEST(ExpectedTensors, EveryPublishedStyleOfNamesMeansTheSame) {
  const std::pair<const char*, const char*> cases[] = {
      {"model.visual.pos_embed.weight", "model.visual.pos_embed.weight"},
      {"visual.pos_embed.weight", "model.visual.pos_embed.weight"},
      {"model.language_model.norm.weight", "model.language_model.norm.weight"},
      {"language_model.model.norm.weight", "model.language_model.norm.weight"},
      {"language_model.norm.weight", "model.language_model.norm.weight"},
      {"model.norm.weight", "model.language_model.norm.weight"},
      {"lm_head.weight", "lm_head.weight"},
      {"language_model.lm_head.weight", "lm_head.weight"},
      {"something.else", "something.else"},
  };
  for (const auto& [published, canonical] : cases) {
    EXPECT_EQ(CanonicalTensorName(published), canonical);
  }
}

TEST(ExpectedTensors, KnowTheirPart) {
  EXPECT_EQ(PartOf("model.visual.merger.norm.weight"), ModelPart::kVision);
  EXPECT_EQ(PartOf("model.language_model.norm.weight"), ModelPart::kText);
  EXPECT_EQ(PartOf("model.language_model.embed_tokens.weight"), ModelPart::kEmbedding);
  EXPECT_EQ(PartOf("lm_head.weight"), ModelPart::kEmbedding);
}

}  // namespace
}  // namespace ocelli
