#ifndef OCELLI_CLI_RM_COMMAND_H_
#define OCELLI_CLI_RM_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli rm ORG/NAME...`: deletes models of the shared cache and says how much that freed.
// **Errors** of the run: those of hub::ModelCache::Remove.
Command AddRm(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_RM_COMMAND_H_
