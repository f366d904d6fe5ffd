#include "cli/ocr_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

std::string TimeLeft(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string OcrProgressText(size_t done, size_t total, size_t read, double seconds) {
  std::string text = fmt::format("{}/{} pages", done, total);
  if (read == 0 || seconds <= 0) return text;
  const double a_second = static_cast<double>(read) / seconds;
  text += fmt::format(", {:.1f} a minute", 60 * a_second);
  if (done >= total) return text;
  return text + fmt::format(", {} left", TimeLeft(static_cast<double>(total - done) / a_second));
}

OcrProgress::OcrProgress(size_t total)
    : total_(total), terminal_(isatty(STDERR_FILENO) == 1), line_(true) {}

std::string OcrProgress::Text() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  return OcrProgressText(done_, total_, read_, spent.count());
}

void OcrProgress::Done(const std::string& name, const std::string& outcome, bool read) {
  ++done_;
  read_ += read;
  if (!terminal_) Say(fmt::format("{}: {}: {}", Text(), name, outcome));
  Refresh();
}

void OcrProgress::Failed(const std::string& name, const std::string& message) {
  ++done_;
  line_.Clear();
  Say(fmt::format("{}: {}: failed: {}", Text(), name, message));
}

void OcrProgress::Refresh() { line_.Show(Text()); }

}  // namespace ocelli::cli
