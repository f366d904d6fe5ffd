#include "cli/latency_stats.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ocelli::cli {

double Percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  return values[static_cast<size_t>(std::clamp(rank, 1.0, static_cast<double>(values.size()))) - 1];
}

std::vector<TimeSpan> Overlaps(const std::vector<TimeSpan>& spans, size_t count) {
  std::vector<std::pair<double, int>> changes;
  for (const auto& [from, to] : spans) {
    changes.emplace_back(from, 1);
    changes.emplace_back(to, -1);
  }
  std::sort(changes.begin(), changes.end());  // at one time, ends come first
  std::vector<TimeSpan> overlaps;
  size_t depth = 0;
  for (const auto& [time, change] : changes) {
    const bool was_enough = depth >= count;
    depth += static_cast<size_t>(change);
    if (!was_enough && depth >= count) overlaps.emplace_back(time, time);
    if (was_enough && depth < count) overlaps.back().second = time;
  }
  return overlaps;
}

}  // namespace ocelli::cli
