#ifndef OCELLI_CLI_PACK_COMMAND_H_
#define OCELLI_CLI_PACK_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli pack`: makes a model's packed file before its first start, or proves it exact.
Command AddPack(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_PACK_COMMAND_H_
