#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "golden_case.h"
#include "gtest/gtest.h"
#include "run_program.h"

// `ocelli bench serve` on a model of random weights that takes no time.

namespace ocelli {
namespace {

using nlohmann::json;

const std::string kModel = (GoldenDirectory() / "checkpoint_tied").string();

ProgramResult Bench(const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"bench", "serve",    "--load-format",
                                        "dummy", "--config", kModel};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return RunOcelli(arguments);
}

TEST(BenchServe, ReportsEveryRunOfClients) {
  const ProgramResult result =
      Bench({"--json", "--clients", "1,3", "--pictures", "64x64,96x64,none", "--turns", "2",
             "--conversations", "2", "--prompt-tokens", "10", "--answer-tokens", "7"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json runs = json::parse(result.out)["runs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["answers"], 4);
  EXPECT_EQ(runs[1]["clients"], 3);
  EXPECT_EQ(runs[1]["answers"], 12);
  for (const json& run : runs) {
    EXPECT_GT(run["tokens_per_second"], 0.0);
    EXPECT_GT(run["first_token_seconds"]["p50"], 0.0);
    EXPECT_GT(run["cpu_seconds_per_token"], 0.0);
    EXPECT_GE(run["between_tokens_seconds"]["p99"], run["between_tokens_seconds"]["p50"]);
    // Second turns read only what is new: less than half of what first turns do.
    EXPECT_GT(run["cached_tokens"].get<int>() * 3, run["prompt_tokens"].get<int>());
    EXPECT_GT(run["peak_memory_bytes"], 1'000'000);
  }
  EXPECT_EQ(runs[0]["pictures_encoded"].get<int>() + runs[1]["pictures_encoded"].get<int>(), 6);
}

TEST(BenchServe, OptionsReachTheEngine) {
  const ProgramResult result =
      Bench({"--json", "--clients", "8", "--pictures", "none", "--turns", "1", "--prompt-tokens",
             "40", "--answer-tokens", "100", "--kv-memory", "400K", "--speculate", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json run = json::parse(result.out)["runs"][0];
  EXPECT_GT(run["preemptions"], 0);
  EXPECT_GT(run["draft_tokens"], 0);
}

TEST(BenchServe, PrintsATable) {
  const ProgramResult result =
      Bench({"--clients", "1", "--pictures", "64x64", "--answer-tokens", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* row : {"decode tokens/s, all", "later / first turn", "preemptions",
                          "peak memory", "cancel in encoder"}) {
    EXPECT_NE(result.out.find(row), std::string::npos) << result.out;
  }
}

TEST(BenchServe, RefusesWhatMakesNoSense) {
  EXPECT_EQ(Bench({"--clients", "0"}).exit_code, 2);
  EXPECT_EQ(Bench({"--clients", "1,x"}).exit_code, 2);
  EXPECT_EQ(Bench({"--pictures", "big"}).exit_code, 2);
  EXPECT_EQ(Bench({"--kv-memory", "5X"}).exit_code, 2);
  EXPECT_EQ(Bench({"--kv-type", "f16"}).exit_code, 2);
  EXPECT_EQ(Bench({"--huge-pages", "maybe"}).exit_code, 2);
  EXPECT_EQ(Bench({"--max-sequences", "0"}).exit_code, 2);
  EXPECT_EQ(RunOcelli({"bench"}).exit_code, 2);
}

TEST(BenchServe, MemoryThatIsNotThereIsRefusedBeforeLoading) {
  const ProgramResult result = Bench({"--kv-memory", "100000G"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("can be had"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("KV cache 97.66 TiB"), std::string::npos) << result.err;
}

TEST(BenchServe, RunsWithEveryHugePageSwitch) {
  for (const char* mode : {"on", "off", "system"}) {
    const ProgramResult result = Bench(
        {"--clients", "1", "--pictures", "none", "--answer-tokens", "2", "--huge-pages", mode});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find(std::string("huge pages: ") + mode + " wanted, "), std::string::npos)
        << result.err;
  }
}

}  // namespace
}  // namespace ocelli
