#ifndef OCELLI_CLI_DOCTOR_COMMAND_H_
#define OCELLI_CLI_DOCTOR_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli doctor`: says what this machine is and can do, whether the model is whole and fits, how
// fast it will be and what would make it faster. **Errors** of the run: that the model cannot be
// run, after everything was printed; kIo.
Command AddDoctor(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_DOCTOR_COMMAND_H_
