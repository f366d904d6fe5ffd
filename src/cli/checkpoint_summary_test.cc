#include "cli/checkpoint_summary.h"

#include <fmt/ranges.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

using ::testing::HasSubstr;

Result<Checkpoint> OpenGolden(const std::string& name) {
  return Checkpoint::Open(std::string(OCELLI_SOURCE_DIR "/tests/golden/data/") + name);
}

TEST(CheckpointSummary, CountsPartsFormatsAndFiles) {
  const auto checkpoint = OpenGolden("checkpoint_untied");
  const auto summary = Summarize(*checkpoint, WeightFormat::kBf16);
  ASSERT_TRUE(summary.ok()) << summary.error().message;
  EXPECT_EQ(summary->parameters.total(), 1'639'824u);  // the index's own total
  EXPECT_EQ(summary->parameters.embedding, 2u * 300 * 80);
  EXPECT_EQ(summary->parameters_by_dtype, (std::map<std::string, uint64_t>{{"BF16", 1'639'824}}));
  EXPECT_EQ(summary->files.size(), 10u);
  EXPECT_EQ(summary->kv_bytes_per_token, 5u * 2 * 2 * 32 * 4);
  EXPECT_EQ(summary->min_image_tokens, 4u);
  EXPECT_EQ(summary->max_image_tokens, 64u);
  // 1-D tensors widen to float32, outputs are rounded up to panels of 16.
  EXPECT_GT(summary->weight_bytes, 2 * summary->parameters.total());
  EXPECT_LT(summary->weight_bytes, 21 * summary->parameters.total() / 10);
}

TEST(CheckpointSummary, LinesSayWhatPeopleAsk) {
  const auto checkpoint = OpenGolden("checkpoint_tied");
  const std::string text = fmt::format(
      "{}", fmt::join(SummaryLines(*Summarize(*checkpoint, WeightFormat::kBf16)), "\n"));
  for (const char* words :
       {"model      Qwen3-VL, dense, 1.62 million parameters, tied embeddings",
        "5 layers, hidden 80, 6 heads of 32 (2 key/value)", "deepstack after [0, 1, 3]",
        "1.62 million BF16", "model.safetensors", "3.25 MB", "2.56 kB a token of context",
        "4 to 64 tokens each, one for 32 x 32 pixels"}) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

}  // namespace
}  // namespace ocelli::cli
