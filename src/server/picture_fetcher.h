#ifndef OCELLI_SERVER_PICTURE_FETCHER_H_
#define OCELLI_SERVER_PICTURE_FETCHER_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "server/host_list.h"

namespace ocelli::server {

// Fetches pictures by http and https from the hosts that are allowed. What is connected to is
// checked, not what a name resolved to a moment ago; redirects are followed one by one under the
// same rules; no proxy, cookie or credential takes part. **Threads**: any number of Fetch at once.
class PictureFetcher {
 public:
  PictureFetcher(HostList hosts, size_t max_bytes, std::chrono::milliseconds timeout);

  bool enabled() const { return !hosts_.empty(); }
  // Returns the bytes behind `url`, within the timeout and soon after `cancelled` becomes true.
  // **Errors**: kInvalidArgument for a URL or host that is not allowed; kTooLarge; kIo naming the
  // host and what it answered. Never names more of the URL than its host: the rest may be a secret.
  Result<std::vector<std::byte>> Fetch(const std::string& url,
                                       const std::atomic<bool>& cancelled) const;

 private:
  const HostList hosts_;
  const size_t max_bytes_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_PICTURE_FETCHER_H_
