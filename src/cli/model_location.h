#ifndef OCELLI_CLI_MODEL_LOCATION_H_
#define OCELLI_CLI_MODEL_LOCATION_H_

#include <filesystem>
#include <string>

#include "base/error.h"

namespace ocelli::cli {

// Returns the model folder to use: `wanted` when it is given; else the environment variable
// OCELLI_MODEL; else the embedded model, beside the program's build folder or, once installed,
// under share/ocelli. **Errors**: kNotFound, saying where it looked.
Result<std::filesystem::path> LocateModel(const std::string& wanted);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_MODEL_LOCATION_H_
