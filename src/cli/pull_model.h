#ifndef OCELLI_CLI_PULL_MODEL_H_
#define OCELLI_CLI_PULL_MODEL_H_

#include "base/error.h"
#include "hub/hub_settings.h"
#include "hub/pull.h"

namespace ocelli::cli {

// Fetches a model as hub::Pull does and shows how far it is: on a terminal one line that changes,
// else a line on standard error every quarter of a minute. Ctrl-C stops it and says how to go on.
// **Errors**: as hub::Pull.
Result<hub::PullResult> PullModel(const hub::HubSettings& settings,
                                  const hub::PullRequest& request);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_PULL_MODEL_H_
