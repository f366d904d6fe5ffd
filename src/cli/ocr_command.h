#ifndef OCELLI_CLI_OCR_COMMAND_H_
#define OCELLI_CLI_OCR_COMMAND_H_

#include "cli/command.h"

namespace ocelli::cli {

// `ocelli ocr`: reads the text of many pictures into a folder, and goes on where it was after any
// end. Exit codes: 0 when all pictures were read, 3 when some were not, else as every command.
Command AddOcr(CLI::App& app);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_OCR_COMMAND_H_
