#ifndef OCELLI_CLI_BENCH_COMMAND_H_
#define OCELLI_CLI_BENCH_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli bench serve`: drives the engine as several clients would and reports throughput,
// latencies, what the caches gave and the peak of memory. `ocelli bench --profile`: reports where
// the time of single passes through the model goes. **Errors** of the run: those of loading and of
// the first request that fails.
Command AddBench(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_BENCH_COMMAND_H_
