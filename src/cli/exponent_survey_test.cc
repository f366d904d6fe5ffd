#include "cli/exponent_survey.h"

#include <bit>

#include "checkpoint/expected_tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

TEST(ExponentSurvey, CountsEveryWeightOfEveryMatrix) {
  auto checkpoint = Checkpoint::Open(OCELLI_SOURCE_DIR "/tests/golden/data/checkpoint_tied");
  ASSERT_TRUE(checkpoint.ok());
  std::array<uint64_t, 256> wanted{};
  for (const TensorSpec& spec : ExpectedTensors(checkpoint->config())) {
    if (spec.shape.size() < 2) continue;
    const auto tensor = checkpoint->Tensor(spec.name, spec.shape);
    for (size_t i = 0; i < tensor->NumElements(); ++i) {
      ++wanted[std::bit_cast<uint32_t>(tensor->At(i)) >> 23 & 0xFFu];
    }
  }
  ThreadPool pool(2);
  const auto survey = SurveyExponents(*checkpoint, pool);
  ASSERT_TRUE(survey.ok()) << survey.error().message;
  EXPECT_EQ(survey->counts, wanted);
}

TEST(ExponentSurvey, EntropyIsThatOfTheTextbook) {
  ExponentSurvey survey;
  survey.counts[120] = 4;
  survey.counts[121] = 2;
  survey.counts[122] = 1;
  survey.counts[123] = 1;
  EXPECT_DOUBLE_EQ(survey.EntropyBits(), 1.75);
  EXPECT_THAT(survey.Describe(), ::testing::HasSubstr("1.75 bits of entropy, so 9.75 bits"));
  EXPECT_THAT(survey.Describe(), ::testing::HasSubstr("all but 0.0000 %"));
  for (size_t i = 0; i < 16; ++i) survey.counts[i] = 1;
  EXPECT_THAT(survey.Describe(), ::testing::HasSubstr("all but 20.8333 %"));
}

}  // namespace
}  // namespace ocelli::cli
