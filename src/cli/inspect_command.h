#ifndef OCELLI_CLI_INSPECT_COMMAND_H_
#define OCELLI_CLI_INSPECT_COMMAND_H_

#include <string>

#include "base/error.h"

namespace ocelli::cli {

// `ocelli inspect DIR`: prints what a checkpoint is, its sizes and the memory it needs; verifies
// that every tensor is there. **Errors**: those of Checkpoint::Open and CheckComplete.
Status RunInspect(const std::string& directory);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_INSPECT_COMMAND_H_
