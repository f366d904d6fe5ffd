#include "server/host_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/http_message.h"

namespace ocelli::server {
namespace {

std::string Normal(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::string name = LowerCase(host);
  if (name.ends_with('.')) name.pop_back();
  return name;
}

}  // namespace

HostList::HostList(const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    any_ = any_ || entry == "*";
    entries_.push_back(Normal(entry));
  }
}

bool HostList::Names(std::string_view host, int port) const {
  const std::string name = Normal(host);
  const std::string with_port = name.find(':') == std::string::npos
                                    ? fmt::format("{}:{}", name, port)
                                    : fmt::format("[{}]:{}", name, port);
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const std::string& entry) { return entry == name || entry == with_port; });
}

}  // namespace ocelli::server
