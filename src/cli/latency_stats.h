#ifndef OCELLI_CLI_LATENCY_STATS_H_
#define OCELLI_CLI_LATENCY_STATS_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace ocelli::cli {

// Returns the smallest of `values` that at least `percent` of them do not exceed; 0 for none.
double Percentile(std::vector<double> values, double percent);

// A span of time. **Units**: seconds on one clock.
using TimeSpan = std::pair<double, double>;

// Returns the times that at least `count` of `spans` cover, in order.
std::vector<TimeSpan> Overlaps(const std::vector<TimeSpan>& spans, size_t count);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_LATENCY_STATS_H_
