#ifndef OCELLI_SERVER_GATEKEEPER_H_
#define OCELLI_SERVER_GATEKEEPER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/api_keys.h"
#include "server/http_fault.h"
#include "server/http_message.h"
#include "server/server_options.h"

namespace ocelli::server {

// Decides from the head of a request who may come in: which Host names are answered to (a page on
// the Internet can point its own name at 127.0.0.1), which pages of other origins may call, whose
// key is right. **Threads**: immutable.
class Gatekeeper {
 public:
  // `loopback`: whether the listener's address is only reached from this machine.
  Gatekeeper(const ServerOptions& options, bool loopback);

  // **Errors**: 403 for a Host that is not ours.
  std::optional<HttpFault> CheckHost(const HttpRequest& request) const;

  // **Errors**: 403 for a page of an origin that is not allowed.
  std::optional<HttpFault> CheckOrigin(const HttpRequest& request) const;

  // Returns the fields that let the page which sent `request` read the answer; none without Origin.
  std::vector<HttpField> CorsFields(const HttpRequest& request) const;

  // Returns the answer to a preflight (OPTIONS, `allow` being the path's methods).
  HttpResponse Preflight(const HttpRequest& request, const std::string& allow) const;

  // Sets request.scope. **Errors**: 401.
  std::optional<HttpFault> CheckKey(HttpRequest& request) const;

 private:
  bool IsAllowedOrigin(std::string_view origin) const;

  const bool check_host_;
  const bool loopback_;
  const bool any_origin_;
  std::vector<std::string> hosts_;    // lower case
  std::vector<std::string> origins_;  // lower case
  ApiKeys keys_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_GATEKEEPER_H_
