#ifndef OCELLI_CLI_OCR_PROGRESS_H_
#define OCELLI_CLI_OCR_PROGRESS_H_

#include <chrono>
#include <cstddef>
#include <string>

#include "cli/progress_line.h"

namespace ocelli::cli {

// Returns "3/40 pages, 12.5 a minute, 3 min left": `done` of `total`, of which `read` were read by
// the model in `seconds` and the others were there.
std::string OcrProgressText(size_t done, size_t total, size_t read, double seconds);

// Says on stderr how far a batch is: on a terminal in one line that changes, otherwise in a line
// for each page.
class OcrProgress {
 public:
  explicit OcrProgress(size_t total);

  // One more page is done, read by the model or not. `outcome` says what came of it.
  void Done(const std::string& name, const std::string& outcome, bool read);
  // The same for one that failed, which is said in any case.
  void Failed(const std::string& name, const std::string& message);
  // Shows the line again; call it while nothing happens.
  void Refresh();
  // Takes the line away.
  void Clear() { line_.Clear(); }

 private:
  std::string Text() const;

  const size_t total_;
  const bool terminal_;
  ProgressLine line_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  size_t done_ = 0;
  size_t read_ = 0;
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_OCR_PROGRESS_H_
