#include "server/address_rules.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace ocelli::server {
namespace {

struct Network4 {
  uint32_t address;
  int bits;
};
constexpr Network4 kNotPublic4[] = {
    {0x00000000, 8},   // "this" network
    {0x0A000000, 8},   // private
    {0x64400000, 10},  // shared by carriers
    {0x7F000000, 8},   // loopback
    {0xA9FE0000, 16},  // link-local, cloud metadata
    {0xAC100000, 12},  // private
    {0xC0000000, 24},  // protocol assignments
    {0xC0000200, 24},  // documentation
    {0xC0586300, 24},  // 6to4 relays
    {0xC0A80000, 16},  // private
    {0xC6120000, 15},  // benchmarking
    {0xC6336400, 24},  // documentation
    {0xCB007100, 24},  // documentation
    {0xE0000000, 4},   // multicast
    {0xF0000000, 4},   // reserved, broadcast
};

bool IsPublic4(uint32_t address) {
  for (const Network4& network : kNotPublic4) {
    if ((address ^ network.address) >> (32 - network.bits) == 0) return false;
  }
  return true;
}

using Bytes16 = std::array<uint8_t, 16>;

uint32_t Read4(const Bytes16& bytes, size_t at) {
  return static_cast<uint32_t>(bytes[at]) << 24 | static_cast<uint32_t>(bytes[at + 1]) << 16 |
         static_cast<uint32_t>(bytes[at + 2]) << 8 | bytes[at + 3];
}

bool StartsWith(const Bytes16& bytes, std::initializer_list<uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

// Only 2000::/3 is handed out to the Internet; within it a few blocks are not, or carry IPv4.
bool IsPublic6(const Bytes16& bytes) {
  if (StartsWith(bytes, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return IsPublic4(Read4(bytes, 12));  // NAT64
  }
  if ((bytes[0] & 0xE0) != 0x20) return false;
  if (StartsWith(bytes, {0x20, 0x02})) return IsPublic4(Read4(bytes, 2));  // 6to4
  if (StartsWith(bytes, {0x20, 0x01, 0x00}) || StartsWith(bytes, {0x20, 0x01, 0x01})) {
    return false;  // protocol assignments, Teredo among them
  }
  return !StartsWith(bytes, {0x20, 0x01, 0x0D, 0xB8}) &&  // documentation
         !StartsWith(bytes, {0x3F, 0xFF});
}

}  // namespace

bool IsPublicAddress(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &address, sizeof(four));
    return IsPublic4(ntohl(four.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 six{};
  std::memcpy(&six, &address, sizeof(six));
  Bytes16 bytes;
  std::memcpy(bytes.data(), &six.sin6_addr, bytes.size());
  // A mapped address connects to its IPv4 address; nobody serves pictures under that name.
  return IsPublic6(bytes);
}

}  // namespace ocelli::server
