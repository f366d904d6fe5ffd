#ifndef OCELLI_CLI_OCR_BATCH_H_
#define OCELLI_CLI_OCR_BATCH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/ocr_folder.h"
#include "cli/ocr_inputs.h"
#include "cli/session.h"
#include "picture/enhance_options.h"
#include "picture/processor_options.h"

namespace ocelli::cli {

// How the pictures of a batch are read.
struct OcrSettings {
  std::string question;
  size_t max_new_tokens = 0;
  size_t parallel = 1;  // pictures on their way through the engine at once
  PictureOptions picture;
  std::optional<EnhanceOptions> enhance;
  std::string identity;  // of the model: equal for equal answers
};

// What came of a batch.
struct OcrCounts {
  size_t read = 0;      // by the model, now
  size_t found = 0;     // read before, or the same picture as another one
  size_t blank = 0;     // nothing on them
  size_t warnings = 0;  // pages with one or more, blank ones included
  size_t failed = 0;

  size_t done() const { return read + found + blank; }
};

// Reads `inputs` with `engine` and writes what they say to `folder`; says how far it is on stderr.
// A picture that fails is noted and the others go on. SIGINT and SIGTERM end it; what was read
// stays read.
// **Errors**: kCancelled after a signal; kResourceExhausted when the disk is full.
Result<OcrCounts> ReadBatch(const std::vector<OcrInput>& inputs, const OcrSettings& settings,
                            const SessionFiles& files, Engine& engine, OcrFolder& folder);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_OCR_BATCH_H_
