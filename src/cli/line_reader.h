#ifndef OCELLI_CLI_LINE_READER_H_
#define OCELLI_CLI_LINE_READER_H_

#include <cstddef>
#include <string>

#include "base/error.h"

namespace ocelli::cli {

// Reads a descriptor line by line, as a terminal or a pipe gives it.
class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = size_t{1} << 20;

  explicit LineReader(int fd) : fd_(fd) {}

  enum class Outcome {
    kLine,         // `line` is the next one, without its end
    kEnd,          // there is no more
    kInterrupted,  // Ctrl-C came while it waited; what was typed so far is dropped
  };
  // **Errors**: kIo; kTooLarge for a line of more than kMaxLineBytes.
  Result<Outcome> Read(std::string& line);

 private:
  Result<Outcome> Fill();

  int fd_;
  bool at_end_ = false;
  std::string buffered_;
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_LINE_READER_H_
