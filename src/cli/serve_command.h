#ifndef OCELLI_CLI_SERVE_COMMAND_H_
#define OCELLI_CLI_SERVE_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// Adds `ocelli serve`: answers over HTTP until SIGTERM or Ctrl-C. Then running answers may end; a
// second signal ends the program at once.
Command AddServe(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_SERVE_COMMAND_H_
