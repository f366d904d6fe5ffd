#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace ocelli::cli {
namespace {

// fputs, not fmt::print, which throws when stderr takes no more.
void Rewrite(const std::string& text) {
  std::fputs(("\r\x1b[K" + text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::Show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || (visible_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  visible_ = true;
  const std::chrono::duration<double> elapsed = now - start_;
  Rewrite(fmt::format("{} ({:.1f} s)", text, elapsed.count()));
}

void ProgressLine::Clear() {
  if (!visible_) return;
  visible_ = false;
  Rewrite("");
}

}  // namespace ocelli::cli
