#include <string>
#include <vector>

#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// What happens to an answer that cannot be written, and which options take how many words.

namespace ocelli {
namespace {

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();
const std::string kPicture = (GoldenDirectory() / "tied/one_picture/picture_0.png").string();

TEST(Output, AnAnswerThatIsLostIsAFailure) {
  ProgramInput input;
  input.output_path = "/dev/full";
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"ask", kPicture, "?"}, {"ask", kPicture, "?", "--json"}, {"inspect"}, {"--help"}}) {
    const ProgramResult result = RunOcelli(arguments, input);
    EXPECT_EQ(result.exit_code, 1) << arguments[0];
    EXPECT_NE(result.err.find("cannot write to standard output: No space left"), std::string::npos)
        << result.err;
  }
}

TEST(Output, ALostAnswerStopsTheWork) {
  ProgramInput input;
  input.output_path = "/dev/full";
  const ProgramResult result = RunOcelli({"ask", "Go on", "--model", kModel, "--ignore-eos",
                                          "--max-new-tokens", "100000", "--temperature", "0"},
                                         input);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("No space left"), std::string::npos) << result.err;
}

TEST(Output, MessagesThatAreLostAreNoFailure) {
  ProgramInput input;
  input.error_path = "/dev/full";
  EXPECT_EQ(RunOcelli({"ask", kPicture, "?", "--verbose"}, input).exit_code, 0);
  EXPECT_EQ(RunOcelli({"ask", "/nowhere/a.png", "?"}, input).exit_code, 1);
}

TEST(Output, StopTakesOneTextAndLeavesTheQuestion) {
  const ProgramResult result = RunOcelli({"ask", "--stop", "a", "--stop", "b", kPicture, "?"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Output, TheLongestAnswerMayBeAnyNumber) {
  const ProgramResult result =
      RunOcelli({"ask", kPicture, "?", "--max-new-tokens", "18446744073709551615"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace ocelli
