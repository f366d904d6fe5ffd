#ifndef OCELLI_CLI_SPEED_FORECAST_H_
#define OCELLI_CLI_SPEED_FORECAST_H_

#include <cstddef>
#include <cstdint>

#include "checkpoint/model_config.h"

namespace ocelli::cli {

// What the machine does at best, as kernels/peaks.h measures it.
struct MachinePeaks {
  double flops = 0;             // floating-point operations a second
  double bytes_per_second = 0;  // read from memory
};

// A question about one picture, as far as its cost goes.
struct QuestionSize {
  size_t image_tokens = 0;
  size_t text_tokens = 0;
};

// How long an answer is expected to take.
struct SpeedForecast {
  double encode_seconds = 0;   // the picture
  double prefill_seconds = 0;  // picture and question through the decoder
  double token_seconds = 0;    // each token of the answer

  double first_token_seconds() const { return encode_seconds + prefill_seconds + token_seconds; }
};

// Returns what the model's operations and bytes take on a machine of these peaks, at the shares of
// a peak that docs/benchmarks.md measures. **Units**: `weight_bytes` as held in memory.
SpeedForecast ForecastSpeed(const ModelConfig& config, uint64_t weight_bytes,
                            const QuestionSize& question, const MachinePeaks& peaks);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_SPEED_FORECAST_H_
