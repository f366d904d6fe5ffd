#ifndef OCELLI_CLI_MODELS_COMMAND_H_
#define OCELLI_CLI_MODELS_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli models`: lists the models that are here: the embedded one and those of the shared cache,
// with their size, what they are, and whether they are whole. **Errors** of the run: kIo.
Command AddModels(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_MODELS_COMMAND_H_
