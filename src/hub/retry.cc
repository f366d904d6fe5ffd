#include "hub/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <string>

namespace ocelli::hub {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMaxDoublings = 10;

// Returns a number of [0.5, 1).
double Spread() {
  static thread_local std::minstd_rand random{std::random_device()()};
  return std::uniform_real_distribution<double>(0.5, 1.0)(random);
}

}  // namespace

bool WorthRetrying(const HttpResponse& response) {
  if (response.status == 0 || (response.success() && !response.broken.empty())) return true;
  const int status = response.status;
  if (status == 408 || status == 429 || status >= 500) return true;
  return response.redirected && (status == 400 || status == 401 || status == 403);
}

std::optional<milliseconds> ParseRetryAfter(std::string_view value,
                                            std::chrono::system_clock::time_point now) {
  if (value.empty()) return std::nullopt;
  constexpr uint64_t kDay = 86'400;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) {
    return seconds(std::min(number, kDay));
  }
  const time_t when = curl_getdate(std::string(value).c_str(), nullptr);
  if (when == -1) return std::nullopt;
  const auto wait = std::chrono::system_clock::from_time_t(when) - now;
  return std::clamp(std::chrono::duration_cast<milliseconds>(wait), milliseconds(0),
                    milliseconds(seconds(kDay)));
}

std::optional<milliseconds> Backoff::NextDelay(const HttpResponse& response) {
  if (++failures_ > settings_.max_failures) return std::nullopt;
  const auto asked =
      ParseRetryAfter(response.Header("retry-after"), std::chrono::system_clock::now());
  if (asked) {
    return *asked <= settings_.max_retry_after ? asked : std::nullopt;
  }
  const auto doubled = settings_.retry_delay * (1 << std::min(failures_ - 1, kMaxDoublings));
  const milliseconds bounded = std::min<milliseconds>(doubled, settings_.max_retry_delay);
  return milliseconds(static_cast<int64_t>(static_cast<double>(bounded.count()) * Spread()));
}

}  // namespace ocelli::hub
