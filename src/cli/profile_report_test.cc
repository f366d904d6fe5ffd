#include "cli/profile_report.h"

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

// A machine of 100 operations and 10 bytes a second.
PhaseProfile Phase() { return {"decode", 4, 100, 10, {{{"qkv", 50, 10}, 2, 2}, {{"norm"}, 1, 1}}}; }

TEST(ProfileReport, TheLimitIsTheSlowerOfArithmeticAndMemory) {
  EXPECT_DOUBLE_EQ(LimitSeconds({"a", 50, 10}, Phase()), 1.0);
  EXPECT_DOUBLE_EQ(LimitSeconds({"a", 200, 10}, Phase()), 2.0);
}

TEST(ProfileReport, TheTableTellsEachKernelAndAllOfThem) {
  const PhaseProfile phase = Phase();
  const std::string table = ProfileTable({&phase, 1});
  EXPECT_NE(table.find("decode: 4000.0 ms"), std::string::npos) << table;
  // Half of the time and half of the limit; then all: a quarter of the limit.
  EXPECT_NE(table.find("qkv                       2   2000.00    50.0"), std::string::npos)
      << table;
  EXPECT_NE(table.find("       50\n  norm"), std::string::npos) << table;
  EXPECT_NE(table.find("all                       1   4000.00   100.0"), std::string::npos)
      << table;
  EXPECT_EQ(table.substr(table.size() - 4), " 25\n") << table;
}

TEST(ProfileReport, TheJsonHasTheSameFigures) {
  const PhaseProfile phase = Phase();
  const auto document = nlohmann::json::parse(ProfileJson({&phase, 1}));
  const auto& decode = document["phases"][0];
  EXPECT_EQ(decode["of_limit"], 0.25);
  EXPECT_EQ(decode["kernels"][0]["of_limit"], 0.5);
  EXPECT_EQ(decode["kernels"][1]["kernel"], "norm");
}

}  // namespace
}  // namespace ocelli::cli
