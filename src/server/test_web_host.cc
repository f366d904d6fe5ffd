#include "server/test_web_host.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace ocelli::server::testing {

TestWebHost::TestWebHost(Answer answer)
    : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  listen(listener_, 16);
  socklen_t size = sizeof(address);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Run(); });
}

TestWebHost::~TestWebHost() {
  stopping_ = true;
  thread_.join();
  close(listener_);
}

std::string TestWebHost::Url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

std::string TestWebHost::Reply(const std::string& status, const std::string& body,
                               const std::string& head) {
  return fmt::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{}", status,
                     body.size(), head, body);
}

void TestWebHost::Run() {
  while (!stopping_) {
    pollfd poll_one{listener_, POLLIN, 0};
    if (poll(&poll_one, 1, 20) <= 0) continue;
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    ++num_connections_;
    Serve(connection);
    close(connection);
  }
}

void TestWebHost::Serve(int connection) {
  std::string head;
  char buffer[4096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t count = recv(connection, buffer, sizeof(buffer), 0);
    if (count <= 0) return;
    head.append(buffer, static_cast<size_t>(count));
  }
  const std::string reply = answer_(head);
  send(connection, reply.data(), reply.size(), MSG_NOSIGNAL);
  shutdown(connection, SHUT_WR);
  pollfd poll_one{connection, POLLIN, 0};
  while (!stopping_ && poll(&poll_one, 1, 20) == 0) {
  }
}

}  // namespace ocelli::server::testing
