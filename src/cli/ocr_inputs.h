#ifndef OCELLI_CLI_OCR_INPUTS_H_
#define OCELLI_CLI_OCR_INPUTS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace ocelli::cli {

// A picture to read, or a place that could not be looked into.
struct OcrInput {
  std::filesystem::path path;  // absolute
  std::string name;            // how it lies under the folder that was given: "scans/a.png"
  std::string problem;         // of a folder or file that cannot be read; empty: none
};

// Returns the pictures that `arguments` name, each once: a file as it is; a folder with all
// pictures in it and below, in the order of their names; "-" the paths that stand on the lines of
// standard input, of files or folders. **Errors**: kInvalidArgument for nothing named, kTooLarge.
Result<std::vector<OcrInput>> ListOcrInputs(const std::vector<std::string>& arguments);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_OCR_INPUTS_H_
