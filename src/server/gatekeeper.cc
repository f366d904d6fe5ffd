#include "server/gatekeeper.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ocelli::server {
namespace {

constexpr std::string_view kUsualHeaders = "authorization, content-type, x-api-key, x-request-id";
constexpr size_t kMaxAskedHeaders = 2048;

bool Contains(const std::vector<std::string>& list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<std::string> LowerCaseAll(const std::vector<std::string>& list) {
  std::vector<std::string> lower;
  for (const std::string& value : list) lower.push_back(LowerCase(value));
  return lower;
}

bool IsPort(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' &&
          std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// Returns "name" or "::1" of "name:7860", "[::1]:7860" or either without a port, in lower case and
// without a final dot; "", which nothing is called, for any other text.
std::string HostName(std::string_view host) {
  const size_t begin = host.starts_with('[') ? 1 : 0;
  const size_t end = begin > 0 ? host.find(']') : std::min(host.find(':'), host.size());
  if (end == std::string_view::npos || !IsPort(host.substr(end + begin))) return "";
  std::string name = LowerCase(host.substr(begin, end - begin));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool IsAddress(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool IsLoopbackName(const std::string& host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && IsAddress(host));
}

// Whether `origin` is the very server that the request came to.
bool IsSameOrigin(std::string_view origin, std::string_view host) {
  const size_t scheme = origin.find("://");
  return scheme != std::string_view::npos &&
         LowerCase(origin.substr(scheme + 3)) == LowerCase(host);
}

// Whether a list of header names may be repeated in our answer.
bool IsHeaderList(std::string_view text) {
  return !text.empty() && text.size() <= kMaxAskedHeaders &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                  c == ',' || c == ' ';
         });
}

std::string_view KeyOf(const HttpRequest& request) {
  const std::string_view authorization = request.Field("authorization");
  if (LowerCase(authorization.substr(0, 7)) == "bearer ") return Trimmed(authorization.substr(7));
  return request.Field("x-api-key");
}

}  // namespace

Gatekeeper::Gatekeeper(const ServerOptions& options, bool loopback)
    : check_host_(loopback || !options.allowed_hosts.empty()),
      loopback_(loopback),
      any_origin_(Contains(options.allowed_origins, "*")),
      hosts_(LowerCaseAll(options.allowed_hosts)),
      origins_(LowerCaseAll(options.allowed_origins)),
      keys_(options.api_keys) {}

std::optional<HttpFault> Gatekeeper::CheckHost(const HttpRequest& request) const {
  const std::string* field = request.Find("host");
  // HTTP/1.0 probes send none; a browser, against which this is, always does.
  if (!check_host_ || field == nullptr) return std::nullopt;
  const std::string host = HostName(*field);
  if (IsLoopbackName(host) || Contains(hosts_, host)) return std::nullopt;
  if (!loopback_ && IsAddress(host)) return std::nullopt;
  return HttpFault{403, "this server does not answer to that Host name; --allow-host adds one",
                   "host_not_allowed"};
}

std::optional<HttpFault> Gatekeeper::CheckOrigin(const HttpRequest& request) const {
  const std::string* origin = request.Find("origin");
  if (origin == nullptr || IsSameOrigin(*origin, request.Field("host"))) return std::nullopt;
  if (IsAllowedOrigin(*origin)) return std::nullopt;
  return HttpFault{403, "pages of that origin may not use this server; --allow-origin lets them",
                   "origin_not_allowed"};
}

bool Gatekeeper::IsAllowedOrigin(std::string_view origin) const {
  return any_origin_ || Contains(origins_, LowerCase(origin));
}

std::vector<HttpField> Gatekeeper::CorsFields(const HttpRequest& request) const {
  const std::string* origin = request.Find("origin");
  if (origin == nullptr || origins_.empty()) return {};
  std::vector<HttpField> fields = {{"Vary", "Origin"}};
  if (!IsAllowedOrigin(*origin)) return fields;
  fields.emplace_back("Access-Control-Allow-Origin", any_origin_ ? "*" : *origin);
  fields.emplace_back("Access-Control-Expose-Headers", "x-request-id, retry-after, x-should-retry");
  return fields;
}

HttpResponse Gatekeeper::Preflight(const HttpRequest& request, const std::string& allow) const {
  HttpResponse response;
  response.status = 204;
  response.fields.emplace_back("Allow", allow);
  const std::string* origin = request.Find("origin");
  if (origin == nullptr || !IsAllowedOrigin(*origin)) return response;
  const std::string_view asked = request.Field("access-control-request-headers");
  response.fields.emplace_back("Access-Control-Allow-Methods", allow);
  response.fields.emplace_back("Access-Control-Allow-Headers",
                               IsHeaderList(asked) ? asked : kUsualHeaders);
  response.fields.emplace_back("Access-Control-Max-Age", "600");
  return response;
}

std::optional<HttpFault> Gatekeeper::CheckKey(HttpRequest& request) const {
  request.scope = "everybody";
  if (!keys_.required()) return std::nullopt;
  const std::string_view key = KeyOf(request);
  if (key.empty()) {
    return HttpFault{401, "an API key is needed: send \"Authorization: Bearer KEY\"",
                     "missing_api_key"};
  }
  std::optional<std::string> scope = keys_.ScopeOf(key);
  if (!scope) return HttpFault{401, "the API key is wrong", "invalid_api_key"};
  request.scope = std::move(*scope);
  return std::nullopt;
}

}  // namespace ocelli::server
