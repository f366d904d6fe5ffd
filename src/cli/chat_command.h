#ifndef OCELLI_CLI_CHAT_COMMAND_H_
#define OCELLI_CLI_CHAT_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli chat`: a chat in the terminal, or over a pipe, about pictures given by path. Answers go
// to stdout, everything else to stderr. Ctrl-C stops an answer, Ctrl-D ends the chat.
// **Errors** of the run: those of loading; kIo for an output that takes no more; from a pipe, one
// at the end when any line of it failed.
Command AddChat(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_CHAT_COMMAND_H_
