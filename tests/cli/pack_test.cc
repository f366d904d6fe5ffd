#include <filesystem>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "gmock/gmock.h"
#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli pack` and `--packed`.

namespace ocelli {
namespace {

using ::testing::HasSubstr;

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();

ProgramResult Ask(const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"ask", "--model",          kModel, "--temperature",
                                        "0",   "--max-new-tokens", "12"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back("Hello");
  return RunOcelli(arguments);
}

TEST(Pack, MakesAFileThatIsProvenExact) {
  const testing::TestDirectory cache;
  ProgramInput input;
  input.environment = {"XDG_CACHE_HOME=" + cache.path().string()};
  const ProgramResult packed = RunOcelli({"pack", kModel, "--verify"}, input);
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_THAT(packed.err, HasSubstr(" numbers are exactly those of " + kModel));
  const std::string path = packed.out.substr(0, packed.out.find('\n'));
  EXPECT_TRUE(path.starts_with((cache.path() / "ocelli/packed/checkpoint_tied-").string())) << path;
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_THAT(RunOcelli({"models"}, input).out, HasSubstr("converted weights take"));
  EXPECT_EQ(RunOcelli({"rm", "--packed"}, input).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Pack, AnswersAreTheSameFromTheFile) {
  const testing::TestDirectory directory;
  const std::string path = (directory.path() / "packed.safetensors").string();
  const ProgramResult plain = Ask({"--packed", "off"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  ASSERT_FALSE(plain.out.empty());
  for (int start = 0; start < 2; ++start) {
    const ProgramResult packed = Ask({"--packed", path});
    ASSERT_EQ(packed.exit_code, 0) << packed.err;
    EXPECT_EQ(packed.out, plain.out) << "start " << start;
  }
}

TEST(Pack, AFileThatCannotBeWrittenIsOneSentence) {
  const ProgramResult result = Ask({"--packed", "/proc/none/packed"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("/proc/none"));
}

TEST(Pack, InspectTellsTheEntropyOfTheExponents) {
  const ProgramResult result = RunOcelli({"inspect", kModel, "--entropy"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("bits of entropy"));
}

}  // namespace
}  // namespace ocelli
