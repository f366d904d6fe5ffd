#ifndef OCELLI_CLI_PROFILE_REPORT_H_
#define OCELLI_CLI_PROFILE_REPORT_H_

#include <span>
#include <string>

#include "cli/model_profile.h"

namespace ocelli::cli {

// Returns the least time that `work` can take: what its operations or its bytes take at the peaks
// of `phase`, whichever is more. **Units**: seconds.
double LimitSeconds(const KernelWork& work, const PhaseProfile& phase);

// Returns a table for each phase: time, rates and share of the limit, kernel by kernel.
std::string ProfileTable(std::span<const PhaseProfile> phases);
// Returns the same as the JSON document of `--json`.
std::string ProfileJson(std::span<const PhaseProfile> phases);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_PROFILE_REPORT_H_
