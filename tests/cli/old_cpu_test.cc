#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// The same binary on CPUs that lack what this one has, emulated: it never runs an instruction that
// they do not know, says which kernels it took, and answers the same. A sanitizer's own code does
// not run under emulation.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace ocelli {
namespace {

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();
const std::string kPicture = (GoldenDirectory() / "tied/small/picture_0.png").string();

ProgramResult Ask(std::vector<std::string> launcher) {
  ProgramInput input;
  input.launcher = std::move(launcher);
  return RunOcelli(
      {"ask", kPicture, "Hi", "--model", kModel, "--temperature", "0", "--max-new-tokens", "4",
       "--ignore-eos", "--threads", "1", "--json", "--verbose"},
      input);
}

class OldCpu : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(OldCpu, TakesTheKernelsItHasAndAnswersTheSame) {
  const std::string cpu = GetParam()[0];
  const std::string kernels = GetParam()[1];
  if (std::string(OCELLI_QEMU).ends_with("NOTFOUND")) GTEST_SKIP() << "qemu-user is not installed";
  const ProgramResult old = Ask({OCELLI_QEMU, "-cpu", cpu});
  ASSERT_EQ(old.exit_code, 0) << old.err;
  EXPECT_NE(old.err.find("kernels " + kernels + ";"), std::string::npos) << old.err;
  const ProgramResult here = Ask({});
  ASSERT_EQ(here.exit_code, 0) << here.err;
  EXPECT_EQ(nlohmann::json::parse(old.out)["token_ids"],
            nlohmann::json::parse(here.out)["token_ids"]);
}

INSTANTIATE_TEST_SUITE_P(Cpus, OldCpu,
                         ::testing::Values(std::vector<std::string>{"Haswell", "avx2"},
                                           std::vector<std::string>{"SandyBridge", "scalar"},
                                           std::vector<std::string>{"Nehalem", "scalar"}),
                         [](const auto& param) { return param.param[0]; });

}  // namespace
}  // namespace ocelli

#endif
