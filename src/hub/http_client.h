#ifndef OCELLI_HUB_HTTP_CLIENT_H_
#define OCELLI_HUB_HTTP_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hub/hub_settings.h"

namespace ocelli::hub {

// Bytes [begin, end) of a file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
};

// What HttpResponse::broken says when the sink ended the transfer.
inline constexpr std::string_view kNotWanted = "it was not wanted any more";

struct HttpRequest {
  std::string url;
  bool head = false;
  std::string token;               // goes to the scheme, host and port of `url` only
  std::optional<ByteRange> range;  // not empty
};

// What came back, after redirects.
struct HttpResponse {
  int status = 0;                              // of the last answer; 0: none came
  std::string url;                             // that gave it, or failed to
  bool redirected = false;                     // another address than the request's answered
  std::string broken;                          // why the transfer ended early; empty: it is whole
  std::string refused_body;                    // the first 4 KiB of an answer that is no success
  std::map<std::string, std::string> headers;  // by lower-case name. A redirect's X-Linked-* and
                                               // X-Repo-Commit stay, others are the last answer's.

  bool success() const { return status == 200 || status == 206; }
  // Returns the value of a header, by its lower-case name; "" when there is none.
  std::string_view Header(const std::string& name) const;
  // Returns the host of `url`, for messages.
  std::string Host() const;
};

// Several HTTP transfers on one thread. Follows redirects itself, so that a token never reaches
// another host and https never becomes http. Names no content coding: bytes come as they are.
// **Threads**: one caller at a time.
class HttpClient {
 public:
  using Id = uint64_t;
  // Takes the bytes of a success as they come, the first time also with none; false ends the
  // transfer. It may not call the client.
  using Sink = std::function<bool(const HttpResponse& head, std::string_view data)>;

  explicit HttpClient(const HubSettings& settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Begins a transfer. `timeout` bounds all of it; zero: none but the settings' stall time.
  Id Start(const HttpRequest& request, Sink sink,
           std::chrono::milliseconds timeout = std::chrono::milliseconds(0));
  // Ends a transfer, which is then never reported.
  void Stop(Id id);

  struct Finished {
    Id id = 0;
    HttpResponse response;
  };
  // Moves transfers on, waiting up to `patience` for something to happen; returns those that ended.
  std::vector<Finished> Wait(std::chrono::milliseconds patience);

 private:
  class Transfer;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Returns the host of `url`, without port; "" when it is no URL.
std::string HostOf(const std::string& url);

// Returns whether `url` is reached without anybody between: https, or this very machine.
bool IsPrivateChannel(const std::string& url);

// Returns `text` with every byte but letters, digits and "-_.~" as %XX; a '/' stays if
// `keep_slash`.
std::string PercentEncode(std::string_view text, bool keep_slash);

}  // namespace ocelli::hub

#endif  // OCELLI_HUB_HTTP_CLIENT_H_
