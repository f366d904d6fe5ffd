#ifndef OCELLI_CLI_TERMINAL_H_
#define OCELLI_CLI_TERMINAL_H_

#include <string_view>

#include "base/error.h"

namespace ocelli::cli {

// Gives standard input, output and error a descriptor each where the caller closed it, so that no
// file of ours is ever opened in their place. What is written to a closed output still fails.
// **Threads**: call it first of all.
void OpenClosedStandardFiles();

// Writes `text` to standard output, at once.
// **Errors**: kIo with the system's reason (a full disk, a reader that left, a closed descriptor).
Status WriteOut(std::string_view text);

// Writes a part of what a model reasoned to standard error, dim on a terminal, each line made
// printable. "\n" ends a line. That nobody can read it is no error.
void Whisper(std::string_view text);

// Writes `line` and a line break to standard error, made printable: one line, whatever file names
// are in it. That nobody can read it is no error.
void Say(std::string_view line);

// Makes running out of memory anywhere end the process with one sentence and `exit_code`.
void ExplainOutOfMemory(int exit_code);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_TERMINAL_H_
