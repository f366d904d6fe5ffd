#ifndef OCELLI_CLI_INSPECT_COMMAND_H_
#define OCELLI_CLI_INSPECT_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli inspect DIR`: prints what a checkpoint is, its sizes and the memory it needs; verifies
// that every tensor is there. **Errors** of the run: those of Checkpoint::Open and CheckComplete.
Command AddInspect(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_INSPECT_COMMAND_H_
