#include "server/router.h"

#include <optional>

namespace ocelli::server {
namespace {

constexpr std::string_view kParameter = "{id}";

// Returns what stands for {id} in `path` ("" where the pattern has none), nothing for another path.
std::optional<std::string_view> Parameter(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with(kParameter)) {
    return pattern == path ? std::optional<std::string_view>("") : std::nullopt;
  }
  pattern.remove_suffix(kParameter.size());
  if (path.size() <= pattern.size() || !path.starts_with(pattern)) return std::nullopt;
  return path.substr(pattern.size());
}

void AddMethod(std::string& list, std::string_view method) {
  if (!list.empty()) list += ", ";
  list += method;
}

}  // namespace

Router::Match Router::Find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Match match;
  for (const Route& route : routes_) {
    const auto parameter = Parameter(route.pattern, path);
    if (!parameter) continue;
    AddMethod(match.allow, route.method);
    if (route.method == "GET") AddMethod(match.allow, "HEAD");
    if (route.method != wanted || match.route != nullptr) continue;
    match.route = &route;
    match.parameter = *parameter;
  }
  if (!match.allow.empty()) AddMethod(match.allow, "OPTIONS");
  return match;
}

}  // namespace ocelli::server
