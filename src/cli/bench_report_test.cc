#include "cli/bench_report.h"

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

BenchAnswer Answer(size_t turn, double asked, std::vector<double> token_times, size_t cached) {
  BenchAnswer answer;
  answer.turn = turn;
  answer.asked = asked;
  answer.token_times = std::move(token_times);
  answer.finished.usage.prompt_tokens = 100;
  answer.finished.usage.cached_tokens = cached;
  answer.finished.usage.pictures_encoded = turn == 0 ? 1 : 0;
  answer.finished.times.prefill = 2;
  answer.finished.times.encoding = 1.5;
  return answer;
}

// Two clients, two turns each; both are being answered from second 5 to 6 and from 8 to 9.
BenchRun TwoClients() {
  BenchRun run;
  run.num_clients = 2;
  run.seconds = 10;
  run.answers = {Answer(0, 0, {4, 5, 6}, 0), Answer(1, 6, {8, 9, 10}, 90),
                 Answer(0, 1, {5, 6, 7}, 0), Answer(1, 7, {8, 8.5, 9}, 90)};
  run.before.prompt_tokens = 7;
  run.after.prompt_tokens = 407;
  run.after.cached_tokens = 180;
  return run;
}

TEST(BenchReport, RatesAndLatenciesAreThoseOfTheTokens) {
  const BenchFigures figures = Summarize(TwoClients());
  EXPECT_EQ(figures.num_answers, 4u);
  EXPECT_DOUBLE_EQ(figures.tokens_per_second, 1.2);
  EXPECT_DOUBLE_EQ(figures.decode_tokens_per_second, 5.0 / 2.0);  // at 6, 6, 8.5, 9, 9
  EXPECT_DOUBLE_EQ(figures.prefill_tokens_per_second, 5.0);
  EXPECT_DOUBLE_EQ(figures.encode_seconds, 1.5);
  EXPECT_DOUBLE_EQ(figures.first_token.p50, 4);
  EXPECT_DOUBLE_EQ(figures.later_first_token.p50, 1);
  EXPECT_DOUBLE_EQ(figures.later_turn_ratio, 0.25);
  EXPECT_DOUBLE_EQ(figures.between_tokens.p50, 1);
  EXPECT_DOUBLE_EQ(figures.between_tokens.longest, 1);
  EXPECT_EQ(figures.prompt_tokens, 400u);
  EXPECT_EQ(figures.cached_tokens, 180u);
  EXPECT_GT(figures.peak_memory_bytes, 0u);
}

TEST(BenchReport, TableAndJsonSayTheSame) {
  BenchReport report;
  report.runs = {Summarize(TwoClients())};
  report.cancel_seconds = {0.25};
  const std::string table = BenchTable(report);
  EXPECT_NE(table.find("2.50"), std::string::npos) << table;
  EXPECT_NE(table.find("180 of 400"), std::string::npos) << table;
  EXPECT_NE(table.find("250 / 250 / 250 / 250"), std::string::npos) << table;
  const auto json = nlohmann::json::parse(BenchJson(report));
  EXPECT_EQ(json["runs"][0]["decode_tokens_per_second"], 2.5);
  EXPECT_EQ(json["runs"][0]["first_token_seconds"]["p50"], 4.0);
  EXPECT_EQ(json["cancel_in_encoder_seconds"]["max"], 0.25);
}

TEST(BenchReport, ARunWithoutAnswersIsNoDivisionByZero) {
  const BenchFigures figures = Summarize(BenchRun{});
  EXPECT_EQ(figures.tokens_per_second, 0);
  EXPECT_EQ(figures.later_turn_ratio, 0);
}

}  // namespace
}  // namespace ocelli::cli
