#include "server/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "api/ids.h"
#include "api/percent_encoding.h"
#include "base/log.h"
#include "server/responses.h"

namespace ocelli::server {
namespace {

constexpr size_t kMaxIdBytes = 128;
constexpr std::string_view kUnknownRoute = "(unknown)";
constexpr std::string_view kRequestIdField = "x-request-id";

// Whether a caller's name for its request may stand in answers and log lines.
bool IsSaneId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
}

// Links of the page are relative to its folder, so its address must end in a slash.
HttpResponse RedirectToFolder(const std::string& path, const std::string& query) {
  HttpResponse response = TextResponse("", "text/plain; charset=utf-8");
  response.status = 308;
  response.fields.emplace_back("Location", path + "/" + (query.empty() ? "" : "?" + query));
  return response;
}

// Takes the host out of a target in absolute form (http://host/path), as it is sent to a proxy:
// there it counts, and not the Host field (RFC 9112, 3.2.2).
void TakeHostOfTarget(HttpRequest& request) {
  const std::string target = std::exchange(request.path, {});
  const size_t scheme = target.find("://");
  const std::string name = LowerCase(target.substr(0, std::min(scheme, target.size())));
  if (scheme == std::string::npos || (name != "http" && name != "https")) {
    request.path = target;
    return;
  }
  const size_t begin = scheme + 3;
  const size_t end = std::min(target.find_first_of("/?", begin), target.size());
  std::erase_if(request.fields, [](const HttpField& field) { return field.first == "host"; });
  request.fields.emplace_back("host", target.substr(begin, end - begin));
  if (end == target.size() || target[end] == '?') request.path = "/";
  request.path += target.substr(end);
}

bool HasCompressedBody(const HttpRequest& request) {
  const std::string encoding = LowerCase(request.Field("content-encoding"));
  return !encoding.empty() && encoding != "identity";
}

// Methods are the caller's text; only those that exist are written down.
std::string_view KnownMethod(std::string_view method) {
  for (const std::string_view known :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "-"}) {
    if (method == known) return known;
  }
  return "(other)";
}

}  // namespace

App::App(const ServerOptions& options, Gatekeeper gatekeeper, const Router& router,
         Metrics& metrics)
    : base_path_(options.base_path),
      gatekeeper_(std::move(gatekeeper)),
      router_(router),
      metrics_(metrics) {}

Admission App::Admit(HttpRequest& request) {
  const std::string_view id = request.Field(kRequestIdField);
  request.id = IsSaneId(id) ? std::string(id) : NewRequestId();
  Admission admission;
  admission.route = kUnknownRoute;
  AdmitTo(request, admission);
  return admission;
}

void App::AdmitTo(HttpRequest& request, Admission& admission) const {
  const auto refuse = [&admission](const HttpFault& fault) {
    admission.refusal = ErrorResponse(fault);
  };
  TakeHostOfTarget(request);
  if (const auto fault = gatekeeper_.CheckHost(request)) return refuse(*fault);
  admission.fields = gatekeeper_.CorsFields(request);
  const bool has_path = FindPath(request);
  if (has_path && request.path.empty()) {
    admission.route = "/";
    admission.refusal = RedirectToFolder(base_path_, request.query);
    return;
  }
  Router::Match match = has_path ? router_.Find(request.method, request.path) : Router::Match();
  if (match.allow.empty()) {
    return refuse({404, "there is nothing at this path; GET / lists the routes", "not_found"});
  }
  if (request.method == "OPTIONS") {
    admission.refusal = gatekeeper_.Preflight(request, match.allow);
    return;
  }
  if (match.route == nullptr) {
    refuse({405, "this path takes " + match.allow, "method_not_allowed"});
    admission.refusal->fields.emplace_back("Allow", match.allow);
    return;
  }
  admission.route = match.route->pattern;
  request.parameter = std::move(match.parameter);
  if (match.route->access == RouteAccess::kKey) {
    if (const auto fault = gatekeeper_.CheckOrigin(request)) return refuse(*fault);
    if (const auto fault = gatekeeper_.CheckKey(request)) return refuse(*fault);
  }
  if (HasCompressedBody(request)) {
    return refuse({415, "compressed bodies are not read: send it without Content-Encoding",
                   "unsupported_encoding"});
  }
  admission.handler = match.route->handler;
}

// Splits the target into path and query, below the base path; the path is empty for the base path
// itself. Returns false for another path.
bool App::FindPath(HttpRequest& request) const {
  const std::string_view target = request.path;
  if (!target.starts_with('/')) return false;
  const size_t end = std::min(target.find('?'), target.size());
  request.query = target.substr(std::min(target.size(), end + 1));
  std::string path = api::PercentDecoded(target.substr(0, end));
  if (!path.starts_with(base_path_)) return false;
  path.erase(0, base_path_.size());
  const bool below = path.starts_with('/') || (path.empty() && !base_path_.empty());
  request.path = std::move(path);
  return below;
}

HttpResponse App::FaultResponse(const HttpFault& fault) { return ErrorResponse(fault); }

std::string App::NewRequestId() { return api::NewId("req_"); }

void App::Record(const RequestRecord& record) {
  metrics_.CountRequest(record.route, record.status);
  std::string line = fmt::format(
      "request id={} method={} route={} status={} bytes={} seconds={:.3f}", record.id,
      KnownMethod(record.method), record.route, record.status, record.sent_bytes, record.seconds);
  for (const auto& [name, seconds] : record.stages) {
    line += fmt::format(" [Performance] {}: {:.3f}", name, seconds);
  }
  LogLine(LogLevel::kInfo, line);
}

}  // namespace ocelli::server
