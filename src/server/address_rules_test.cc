#include "server/address_rules.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>
#include <string>

#include "server/host_list.h"

namespace ocelli::server {
namespace {

bool IsPublic(const std::string& text) {
  sockaddr_storage storage{};
  if (text.find(':') == std::string::npos) {
    auto& address = reinterpret_cast<sockaddr_in&>(storage);
    address.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &address.sin_addr), 1) << text;
  } else {
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), &address.sin6_addr), 1) << text;
  }
  return IsPublicAddress(reinterpret_cast<const sockaddr&>(storage));
}

TEST(AddressRules, InnerAddressesAreNotPublic) {
  for (const std::string address : {"0.0.0.0",
                                    "0.1.2.3",
                                    "10.0.0.1",
                                    "10.255.255.255",
                                    "100.64.0.1",
                                    "100.127.255.255",
                                    "127.0.0.1",
                                    "127.255.255.255",
                                    "169.254.169.254",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.0.0.1",
                                    "192.0.2.1",
                                    "192.168.0.1",
                                    "198.18.0.1",
                                    "198.19.255.255",
                                    "203.0.113.9",
                                    "224.0.0.1",
                                    "239.1.1.1",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "fe80::1",
                                    "fc00::1",
                                    "fd12:3456::1",
                                    "ff02::1",
                                    "::ffff:127.0.0.1",
                                    "::ffff:8.8.8.8",
                                    "::127.0.0.1",
                                    "64:ff9b::7f00:1",
                                    "64:ff9b::a9fe:a9fe",
                                    "64:ff9b:1::1",
                                    "2002:7f00:1::",
                                    "2002:a00:1::1",
                                    "2001::1",
                                    "2001:db8::1",
                                    "fec0::1",
                                    "100::1",
                                    "4000::1"}) {
    EXPECT_FALSE(IsPublic(address)) << address;
  }
}

TEST(AddressRules, TheOpenInternetIs) {
  for (const std::string address :
       {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1",
        "172.15.255.255", "172.32.0.1", "192.167.1.1", "198.20.0.1", "223.255.255.255",
        "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808", "2002:808:808::1"}) {
    EXPECT_TRUE(IsPublic(address)) << address;
  }
  sockaddr local{};
  local.sa_family = AF_UNIX;
  EXPECT_FALSE(IsPublicAddress(local));
}

TEST(HostList, NamesHostsWithAndWithoutPorts) {
  const HostList list({"Pics.Example", "127.0.0.1:8080", "[::1]"});
  EXPECT_TRUE(list.Names("pics.example", 443));
  EXPECT_TRUE(list.Names("PICS.example.", 80));
  EXPECT_TRUE(list.Names("127.0.0.1", 8080));
  EXPECT_FALSE(list.Names("127.0.0.1", 8081));
  EXPECT_TRUE(list.Names("[::1]", 80));
  EXPECT_FALSE(list.Allows("other.example", 80));
  EXPECT_FALSE(list.Allows("xpics.example", 80));
  const HostList any({"*"});
  EXPECT_TRUE(any.Allows("other.example", 80));
  EXPECT_FALSE(any.Names("other.example", 80));
  EXPECT_TRUE(HostList({}).empty());
}

}  // namespace
}  // namespace ocelli::server
