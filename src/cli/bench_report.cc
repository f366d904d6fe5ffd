#include "cli/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/byte_size.h"
#include "cli/latency_stats.h"

namespace ocelli::cli {
namespace {

using nlohmann::ordered_json;

LatencySummary SummaryOf(const std::vector<double>& seconds) {
  return {Percentile(seconds, 50), Percentile(seconds, 90), Percentile(seconds, 99),
          Percentile(seconds, 100)};
}

double Over(double a, double b) { return b > 0 ? a / b : 0; }

// Returns the most memory that this process has held at once.
uint64_t PeakMemoryBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
  return 0;
}

// Returns the rate of tokens while `num_clients` answers were being written, each from its first
// token to its last.
double DecodeRate(const std::vector<BenchAnswer>& answers, size_t num_clients) {
  std::vector<TimeSpan> writing;
  for (const BenchAnswer& answer : answers) {
    if (answer.token_times.empty()) continue;
    writing.emplace_back(answer.token_times.front(), answer.token_times.back());
  }
  double seconds = 0;
  size_t tokens = 0;
  for (const auto& [from, to] : Overlaps(writing, num_clients)) {
    seconds += to - from;
    for (const BenchAnswer& answer : answers) {
      tokens += static_cast<size_t>(
          std::count_if(answer.token_times.begin(), answer.token_times.end(),
                        [from = from, to = to](double time) { return time > from && time <= to; }));
    }
  }
  return Over(static_cast<double>(tokens), seconds);
}

void AddTimes(const BenchRun& run, BenchFigures& figures) {
  std::vector<double> first, later, gaps, prefill, encode;
  size_t tokens = 0;
  for (const BenchAnswer& answer : run.answers) {
    if (answer.token_times.empty()) continue;
    const std::vector<double>& times = answer.token_times;
    (answer.turn == 0 ? first : later).push_back(times.front() - answer.asked);
    for (size_t i = 1; i < times.size(); ++i) gaps.push_back(times[i] - times[i - 1]);
    tokens += times.size();
    const Usage& usage = answer.finished.usage;
    prefill.push_back(Over(static_cast<double>(usage.prompt_tokens - usage.cached_tokens),
                           answer.finished.times.prefill));
    if (usage.pictures_encoded > 0) encode.push_back(answer.finished.times.encoding);
  }
  figures.tokens_per_second = Over(static_cast<double>(tokens), run.seconds);
  figures.decode_tokens_per_second = DecodeRate(run.answers, run.num_clients);
  figures.cpu_seconds_per_token = Over(run.cpu_seconds, static_cast<double>(tokens));
  figures.prefill_tokens_per_second = Percentile(prefill, 50);
  figures.encode_seconds = Percentile(encode, 50);
  figures.first_token = SummaryOf(first);
  figures.later_first_token = SummaryOf(later);
  figures.later_turn_ratio = Over(figures.later_first_token.p50, figures.first_token.p50);
  figures.between_tokens = SummaryOf(gaps);
}

void AddCounts(const EngineStats& before, const EngineStats& after, BenchFigures& figures) {
  const auto more = [&](uint64_t EngineStats::*count) { return after.*count - before.*count; };
  figures.prompt_tokens = more(&EngineStats::prompt_tokens);
  figures.cached_tokens = more(&EngineStats::cached_tokens);
  figures.pictures_encoded = more(&EngineStats::pictures_encoded);
  figures.vision_cache_hits = more(&EngineStats::vision_cache_hits);
  figures.preemptions = more(&EngineStats::preemptions);
  figures.draft_tokens = more(&EngineStats::draft_tokens);
  figures.accepted_tokens = more(&EngineStats::accepted_tokens);
}

std::string Milliseconds(const LatencySummary& latency) {
  return fmt::format("{:.0f} / {:.0f} / {:.0f} / {:.0f}", latency.p50 * 1e3, latency.p90 * 1e3,
                     latency.p99 * 1e3, latency.longest * 1e3);
}

struct Row {
  std::string name;
  std::function<std::string(const BenchFigures&)> cell;
};

std::vector<Row> Rows() {
  using F = const BenchFigures&;
  return {
      {"clients", [](F f) { return fmt::format("{}", f.num_clients); }},
      {"answers", [](F f) { return fmt::format("{} in {:.1f} s", f.num_answers, f.seconds); }},
      {"answer tokens/s", [](F f) { return fmt::format("{:.2f}", f.tokens_per_second); }},
      {"decode tokens/s, all",
       [](F f) { return fmt::format("{:.2f}", f.decode_tokens_per_second); }},
      {"prefill tokens/s", [](F f) { return fmt::format("{:.1f}", f.prefill_tokens_per_second); }},
      {"CPU seconds a token", [](F f) { return fmt::format("{:.4f}", f.cpu_seconds_per_token); }},
      {"encode a picture, s", [](F f) { return fmt::format("{:.2f}", f.encode_seconds); }},
      {"first token, ms", [](F f) { return Milliseconds(f.first_token); }},
      {"  of later turns, ms", [](F f) { return Milliseconds(f.later_first_token); }},
      {"  later / first turn", [](F f) { return fmt::format("{:.3f}", f.later_turn_ratio); }},
      {"between tokens, ms", [](F f) { return Milliseconds(f.between_tokens); }},
      {"prompt tokens cached",
       [](F f) { return fmt::format("{} of {}", f.cached_tokens, f.prompt_tokens); }},
      {"pictures encoded, hits",
       [](F f) { return fmt::format("{}, {}", f.pictures_encoded, f.vision_cache_hits); }},
      {"guesses right",
       [](F f) { return fmt::format("{} of {}", f.accepted_tokens, f.draft_tokens); }},
      {"preemptions", [](F f) { return fmt::format("{}", f.preemptions); }},
      {"peak memory", [](F f) { return DescribeBytes(f.peak_memory_bytes); }},
  };
}

ordered_json LatencyJson(const LatencySummary& latency) {
  return {
      {"p50", latency.p50}, {"p90", latency.p90}, {"p99", latency.p99}, {"max", latency.longest}};
}

ordered_json FiguresJson(const BenchFigures& f) {
  return {{"clients", f.num_clients},
          {"answers", f.num_answers},
          {"seconds", f.seconds},
          {"tokens_per_second", f.tokens_per_second},
          {"decode_tokens_per_second", f.decode_tokens_per_second},
          {"prefill_tokens_per_second", f.prefill_tokens_per_second},
          {"cpu_seconds_per_token", f.cpu_seconds_per_token},
          {"encode_seconds", f.encode_seconds},
          {"first_token_seconds", LatencyJson(f.first_token)},
          {"later_first_token_seconds", LatencyJson(f.later_first_token)},
          {"later_turn_ratio", f.later_turn_ratio},
          {"between_tokens_seconds", LatencyJson(f.between_tokens)},
          {"prompt_tokens", f.prompt_tokens},
          {"cached_tokens", f.cached_tokens},
          {"pictures_encoded", f.pictures_encoded},
          {"vision_cache_hits", f.vision_cache_hits},
          {"draft_tokens", f.draft_tokens},
          {"accepted_tokens", f.accepted_tokens},
          {"preemptions", f.preemptions},
          {"peak_memory_bytes", f.peak_memory_bytes}};
}

}  // namespace

BenchFigures Summarize(const BenchRun& run) {
  BenchFigures figures;
  figures.num_clients = run.num_clients;
  figures.num_answers = run.answers.size();
  figures.seconds = run.seconds;
  AddTimes(run, figures);
  AddCounts(run.before, run.after, figures);
  figures.peak_memory_bytes = PeakMemoryBytes();
  return figures;
}

std::string BenchTable(const BenchReport& report) {
  std::string table;
  for (const Row& row : Rows()) {
    table += fmt::format("{:<24}", row.name);
    for (const BenchFigures& figures : report.runs) {
      table += fmt::format("  {:>26}", row.cell(figures));
    }
    table += '\n';
  }
  if (!report.cancel_seconds.empty()) {
    table += fmt::format("{:<24}  {:>26}\n", "cancel in encoder, ms",
                         Milliseconds(SummaryOf(report.cancel_seconds)));
  }
  return table + "(times: median / 90 % / 99 % / longest)\n";
}

std::string BenchJson(const BenchReport& report) {
  ordered_json document = {{"runs", ordered_json::array()}};
  for (const BenchFigures& figures : report.runs) document["runs"].push_back(FiguresJson(figures));
  document["cancel_in_encoder_seconds"] = LatencyJson(SummaryOf(report.cancel_seconds));
  return document.dump(2);
}

}  // namespace ocelli::cli
