#ifndef OCELLI_CLI_PROGRESS_LINE_H_
#define OCELLI_CLI_PROGRESS_LINE_H_

#include <chrono>
#include <string>

namespace ocelli::cli {

// One line on stderr that is rewritten in place. Writes nothing when stderr is not a terminal.
class ProgressLine {
 public:
  // `enabled` false silences it altogether.
  explicit ProgressLine(bool enabled);
  ~ProgressLine() { Clear(); }

  // Shows `text` with the seconds since the line was made; at most ten times a second.
  void Show(const std::string& text);
  // Takes the line away, before something else is printed.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_PROGRESS_LINE_H_
