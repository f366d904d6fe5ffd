#ifndef OCELLI_CLI_ASK_COMMAND_H_
#define OCELLI_CLI_ASK_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli ask`: answers one question about pictures, or one conversation. The answer streams to
// stdout (or is one JSON document), progress goes to stderr. **Errors** of the run: kCancelled when
// Ctrl-C ended it, after what was written so far.
Command AddAsk(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ASK_COMMAND_H_
