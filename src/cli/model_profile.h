#ifndef OCELLI_CLI_MODEL_PROFILE_H_
#define OCELLI_CLI_MODEL_PROFILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/session.h"
#include "model/pass_profile.h"
#include "parallel/thread_pool.h"
#include "picture/rgb_image.h"

namespace ocelli::cli {

// What `ocelli bench --profile` measures.
struct ProfileWorkload {
  std::vector<SizePx> pictures = {{336, 336}};         // encode each
  std::vector<size_t> prompt_tokens = {20, 128, 512};  // compute so many tokens in one pass
  size_t context_tokens = 128;                         // write one token behind so many
  size_t repeats = 5;                                  // of each, of which the median is taken
};

// One kind of pass, and where its time went.
struct PhaseProfile {
  std::string name;
  double seconds = 0;                // the median pass
  double fma_flops_per_second = 0;   // what the machine could do, measured beside the passes
  double read_bytes_per_second = 0;  // likewise
  std::vector<KernelTime> kernels;   // of the median pass
};

// Loads the model of `files` and measures its passes, without an engine around it.
// **Errors**: those of loading. **Threads**: uses `pool`.
Result<std::vector<PhaseProfile>> ProfileModel(const ProfileWorkload& workload, SessionFiles& files,
                                               ThreadPool& pool);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_MODEL_PROFILE_H_
