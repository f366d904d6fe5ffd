#ifndef OCELLI_CLI_ASK_COMMAND_H_
#define OCELLI_CLI_ASK_COMMAND_H_

#include "base/error.h"
#include "cli/ask_options.h"

namespace ocelli::cli {

// `ocelli ask`: answers one question about pictures, or one conversation. The answer streams to
// stdout (or is one JSON document), progress goes to stderr. **Errors**: kCancelled when Ctrl-C
// ended it, after what was written so far.
Status RunAsk(const AskOptions& options);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ASK_COMMAND_H_
