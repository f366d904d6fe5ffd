#ifndef OCELLI_CLI_EXPONENT_SURVEY_H_
#define OCELLI_CLI_EXPONENT_SURVEY_H_

#include <array>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "parallel/thread_pool.h"

namespace ocelli::cli {

// How often each exponent stands in the matrices of a checkpoint, as float32.
struct ExponentSurvey {
  std::array<uint64_t, 256> counts{};

  uint64_t num_weights() const;
  // Returns the Shannon entropy of the exponents, in bits.
  double EntropyBits() const;
  // Returns what the survey says of 12 bits a weight, in a line.
  std::string Describe() const;
};

// Reads every matrix of the checkpoint once: seconds for a large one. **Errors**: those of
// WeightSource::Tensor. **Threads**: uses `pool`.
Result<ExponentSurvey> SurveyExponents(Checkpoint& checkpoint, ThreadPool& pool);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_EXPONENT_SURVEY_H_
