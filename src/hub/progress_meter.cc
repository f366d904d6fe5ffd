#include "hub/progress_meter.h"

namespace ocelli::hub {
namespace {

constexpr std::chrono::seconds kWindow{8};
constexpr std::chrono::milliseconds kStep{200};      // between two samples
constexpr std::chrono::milliseconds kShortest{500};  // a speed over less would jump

}  // namespace

void ProgressMeter::Note(uint64_t received_bytes, Clock::time_point now) {
  if (!samples_.empty() && now - samples_.back().time < kStep) return;
  samples_.push_back({now, received_bytes});
  while (samples_.size() > 2 && now - samples_[1].time > kWindow) samples_.pop_front();
}

double ProgressMeter::BytesPerSecond() const {
  if (samples_.size() < 2) return 0;
  const auto time = samples_.back().time - samples_.front().time;
  if (time < kShortest) return 0;
  return static_cast<double>(samples_.back().bytes - samples_.front().bytes) /
         std::chrono::duration<double>(time).count();
}

std::optional<double> ProgressMeter::SecondsFor(uint64_t missing_bytes) const {
  const double speed = BytesPerSecond();
  if (speed <= 0) return std::nullopt;
  return static_cast<double>(missing_bytes) / speed;
}

}  // namespace ocelli::hub
