#ifndef OCELLI_SERVER_ADDRESS_RULES_H_
#define OCELLI_SERVER_ADDRESS_RULES_H_

#include <sys/socket.h>

namespace ocelli::server {

// Whether `address` (AF_INET or AF_INET6) belongs to the open Internet: not this host, a private,
// link-local, shared (carrier) or reserved network, not multicast, nor an IPv6 address in which
// such an IPv4 address is embedded. **Ref**: the IANA special-purpose address registries.
bool IsPublicAddress(const sockaddr& address);

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_ADDRESS_RULES_H_
