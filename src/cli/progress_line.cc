#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace ocelli::cli {

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::Show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || (visible_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  visible_ = true;
  const std::chrono::duration<double> elapsed = now - start_;
  fmt::print(stderr, "\r\x1b[K{} ({:.1f} s)", text, elapsed.count());
  std::fflush(stderr);
}

void ProgressLine::Clear() {
  if (!visible_) return;
  visible_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace ocelli::cli
