#ifndef OCELLI_CLI_PULL_COMMAND_H_
#define OCELLI_CLI_PULL_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli pull [ORG/NAME]`: fetches a model from a hub into the shared cache, or verifies what is
// there, and prints its folder. **Errors** of the run: those of hub::Pull.
Command AddPull(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_PULL_COMMAND_H_
