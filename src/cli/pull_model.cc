#include "cli/pull_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "base/byte_size.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"

namespace ocelli::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLineEvery{15};

std::string TimeText(double seconds) {
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::string ProgressText(const hub::PullProgress& progress) {
  switch (progress.stage) {
    case hub::PullStage::kListing:
      return fmt::format("asking {}", progress.source);
    case hub::PullStage::kWaiting:
      return fmt::format("{}: another program downloads it, waiting", progress.file);
    case hub::PullStage::kVerifying:
      return fmt::format("{}: verifying, {} of {}", progress.file,
                         DescribeBytes(progress.done_bytes), DescribeBytes(progress.total_bytes));
    case hub::PullStage::kDownloading:
      break;
  }
  std::string text = fmt::format("{}: {} of {}", progress.file, DescribeBytes(progress.done_bytes),
                                 DescribeBytes(progress.total_bytes));
  if (progress.bytes_per_second > 0) {
    text += fmt::format(", {}/s", DescribeBytes(static_cast<uint64_t>(progress.bytes_per_second)));
  }
  if (progress.seconds_left) text += fmt::format(", {} left", TimeText(*progress.seconds_left));
  return text;
}

// Shows progress where people look: a terminal, or a log.
class PullDisplay {
 public:
  PullDisplay() : line_(true), to_log_(isatty(STDERR_FILENO) != 1) {}

  void Show(const hub::PullProgress& progress) {
    line_.Show(ProgressText(progress));
    if (!to_log_ || Clock::now() - last_ < kLineEvery) return;
    last_ = Clock::now();
    Say("ocelli: " + ProgressText(progress));
  }

 private:
  ProgressLine line_;
  bool to_log_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Result<hub::PullResult> PullModel(const hub::HubSettings& settings,
                                  const hub::PullRequest& request) {
  const InterruptGuard interrupt;
  Result<hub::PullResult> result = [&] {
    PullDisplay display;
    return hub::Pull(settings, request, [&](const hub::PullProgress& progress) {
      display.Show(progress);
      return !interrupt.interrupted();
    });
  }();
  if (!result.ok() && result.error().code == ErrorCode::kCancelled) {
    Say("ocelli: stopped; what was fetched is kept, the same command goes on with it");
  }
  return result;
}

}  // namespace ocelli::cli
