#ifndef OCELLI_HUB_RETRY_H_
#define OCELLI_HUB_RETRY_H_

#include <chrono>
#include <optional>
#include <string_view>

#include "hub/http_client.h"
#include "hub/hub_settings.h"

namespace ocelli::hub {

// Returns whether asking again may help: nothing came, the transfer broke, or the server is busy or
// ailing (408, 429, 5xx). A storage server that a redirect led to may also have let its signed link
// run out (400, 401, 403).
bool WorthRetrying(const HttpResponse& response);

// Reads a Retry-After header: seconds, or an HTTP date seen from `now`.
std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view value,
                                                         std::chrono::system_clock::time_point now);

// Counts failures and says how long to wait before the next try.
class Backoff {
 public:
  explicit Backoff(const HubSettings& settings) : settings_(settings) {}

  // Returns how long to wait after a failure with `response`: the server's Retry-After, or a delay
  // that doubles each time and is spread at random, lest all clients come back at once. None when
  // it has failed too often, or the server wants more patience than the settings have.
  std::optional<std::chrono::milliseconds> NextDelay(const HttpResponse& response);
  // Forgets the failures: there was progress.
  void Reset() { failures_ = 0; }

 private:
  const HubSettings& settings_;
  int failures_ = 0;
};

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_RETRY_H_
