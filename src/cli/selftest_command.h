#ifndef OCELLI_CLI_SELFTEST_COMMAND_H_
#define OCELLI_CLI_SELFTEST_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli selftest`: runs every kernel on every instruction set that this CPU has beside its twin
// in double precision, and says which ran, which were skipped and why. **Errors** of the run:
// kInternal when a kernel is wrong on this CPU; kIo.
Command AddSelftest(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_SELFTEST_COMMAND_H_
