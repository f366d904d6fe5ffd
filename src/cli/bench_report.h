#ifndef OCELLI_CLI_BENCH_REPORT_H_
#define OCELLI_CLI_BENCH_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench_clients.h"

namespace ocelli::cli {

// How long something took, over all times that it happened. **Units**: seconds.
struct LatencySummary {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double longest = 0;
};

// What a run of `ocelli bench serve` comes to.
struct BenchFigures {
  size_t num_clients = 0;
  size_t num_answers = 0;
  double seconds = 0;
  double tokens_per_second = 0;          // of answers, over all of `seconds`
  double decode_tokens_per_second = 0;   // while every client was being answered
  double prefill_tokens_per_second = 0;  // read, not cached: median of the answers
  double cpu_seconds_per_token = 0;      // of all work over answer tokens
  double encode_seconds = 0;             // of one picture: median
  LatencySummary first_token;            // of first turns
  LatencySummary later_first_token;      // of later turns
  double later_turn_ratio = 0;           // medians: later turns' first token over first turns'
  LatencySummary between_tokens;
  uint64_t prompt_tokens = 0;
  uint64_t cached_tokens = 0;  // of prompt_tokens
  uint64_t pictures_encoded = 0;
  uint64_t vision_cache_hits = 0;
  uint64_t preemptions = 0;
  uint64_t draft_tokens = 0;
  uint64_t accepted_tokens = 0;    // of draft_tokens
  uint64_t peak_memory_bytes = 0;  // of the process, up to the end of this run
};

// A whole bench.
struct BenchReport {
  std::vector<BenchFigures> runs;
  std::vector<double> cancel_seconds;  // see MeasureCancels
};

BenchFigures Summarize(const BenchRun& run);

// Returns the report as a table, a column for each run.
std::string BenchTable(const BenchReport& report);
// Returns it as the JSON document of `--json`.
std::string BenchJson(const BenchReport& report);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_BENCH_REPORT_H_
