#ifndef OCELLI_HUB_PROGRESS_METER_H_
#define OCELLI_HUB_PROGRESS_METER_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace ocelli::hub {

// Says how fast bytes come and how long the rest takes, from what came in the last seconds: the
// mean of the whole download would hide that the network has become slow.
class ProgressMeter {
 public:
  using Clock = std::chrono::steady_clock;

  // Notes that `received_bytes` have come in all, now.
  void Note(uint64_t received_bytes, Clock::time_point now);
  double BytesPerSecond() const;
  // Returns how long `missing_bytes` take at this speed; none while nothing comes.
  std::optional<double> SecondsFor(uint64_t missing_bytes) const;

 private:
  struct Sample {
    Clock::time_point time;
    uint64_t bytes = 0;
  };
  std::deque<Sample> samples_;
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_PROGRESS_METER_H_
