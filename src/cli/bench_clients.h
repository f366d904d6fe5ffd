#ifndef OCELLI_CLI_BENCH_CLIENTS_H_
#define OCELLI_CLI_BENCH_CLIENTS_H_

#include <cstddef>
#include <vector>

#include "base/error.h"
#include "cli/bench_workload.h"
#include "cli/session.h"
#include "engine/engine.h"
#include "engine/request.h"

namespace ocelli::cli {

// What a client saw of one answer.
struct BenchAnswer {
  size_t turn = 0;                  // of its conversation
  double asked = 0;                 // seconds since the clients started
  std::vector<double> token_times;  // likewise
  FinishedEvent finished;
};

// What a number of clients saw together.
struct BenchRun {
  size_t num_clients = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // of all threads of the process
  std::vector<BenchAnswer> answers;
  EngineStats before;
  EngineStats after;
};

// Lets `num_clients` clients work through `workload` at once, each one request at a time, and
// returns when all are done. `first_number` numbers their conversations, so that no two runs share
// any. **Errors**: of the first request that fails.
Result<BenchRun> RunClients(const BenchWorkload& workload, size_t num_clients, size_t first_number,
                            const SessionFiles& files, Engine& engine);

// Cancels a picture request while the picture is being encoded, `count` times, at moments spread
// over an encoder step, and returns how long each took to end. **Units**: seconds. **Errors**: as
// RunClients.
Result<std::vector<double>> MeasureCancels(const BenchWorkload& workload, size_t count,
                                           size_t first_number, const SessionFiles& files,
                                           Engine& engine);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_BENCH_CLIENTS_H_
