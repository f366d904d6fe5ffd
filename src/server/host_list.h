#ifndef OCELLI_SERVER_HOST_LIST_H_
#define OCELLI_SERVER_HOST_LIST_H_

#include <string>
#include <string_view>
#include <vector>

namespace ocelli::server {

// Which hosts pictures may be fetched from: "name", "name:port" or "*" (every host of the open
// Internet). A host that is named itself may stand in any network. **Threads**: immutable.
class HostList {
 public:
  explicit HostList(const std::vector<std::string>& entries);

  bool empty() const { return entries_.empty(); }
  // Whether `host` (as it stands in a URL; IPv6 without brackets) is named itself.
  bool Names(std::string_view host, int port) const;
  // Whether it may be asked at all.
  bool Allows(std::string_view host, int port) const { return any_ || Names(host, port); }

 private:
  std::vector<std::string> entries_;
  bool any_ = false;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_HOST_LIST_H_
