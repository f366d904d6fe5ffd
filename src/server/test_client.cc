#include "server/test_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "server/http_message.h"

namespace ocelli::server::testing {
namespace {

constexpr int kPatienceMs = 30'000;

bool Wait(int socket, short events, int timeout_ms) {
  pollfd poll_one{socket, events, 0};
  return socket >= 0 && poll(&poll_one, 1, timeout_ms) > 0;
}

}  // namespace

std::string HttpAnswer::Field(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

std::string HttpAnswer::Error(const std::string& name) const {
  const nlohmann::json json = Json();
  if (!json.is_object() || !json.contains("error") || !json["error"].is_object()) return "";
  const nlohmann::json& error = json["error"];
  return error.contains(name) && error[name].is_string() ? error[name].get<std::string>() : "";
}

RawClient::RawClient(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Close();
}

RawClient::~RawClient() { Close(); }

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

bool RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!Wait(socket_, POLLOUT, kPatienceMs)) return false;
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

size_t RawClient::SendSome(std::string_view bytes) {
  const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return count < 0 ? 0 : static_cast<size_t>(count);
}

bool RawClient::ReadMore(int timeout_ms) {
  if (socket_ < 0 || !Wait(socket_, POLLIN, timeout_ms)) return false;
  char buffer[16384];
  const ssize_t count = recv(socket_, buffer, sizeof(buffer), 0);
  if (count <= 0) return false;
  received_.append(buffer, static_cast<size_t>(count));
  return true;
}

bool RawClient::ReadUntil(std::string_view text) {
  while (received_.find(text) == std::string::npos) {
    if (!ReadMore(kPatienceMs)) return false;
  }
  return true;
}

bool RawClient::Sees(std::string_view text, int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (received_.find(text) == std::string::npos) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !ReadMore(static_cast<int>(left.count()))) return false;
  }
  return true;
}

bool RawClient::WaitForClose() {
  while (ReadMore(kPatienceMs)) {
  }
  char byte = 0;
  return socket_ < 0 || (Wait(socket_, POLLIN, 0) && recv(socket_, &byte, 1, 0) <= 0);
}

HttpAnswer RawClient::ReadAnswer(bool head_only) {
  HttpAnswer answer;
  if (!ReadUntil("\r\n\r\n")) return answer;
  const size_t end = received_.find("\r\n\r\n");
  std::string head = received_.substr(0, end + 2);
  received_.erase(0, end + 4);
  if (head.size() < 12) return answer;
  answer.status = std::atoi(head.c_str() + 9);
  size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const size_t line_end = head.find("\r\n", at);
    const std::string line = head.substr(at, line_end - at);
    const size_t colon = line.find(':');
    if (colon != std::string::npos) {
      answer.fields[LowerCase(line.substr(0, colon))] = Trimmed(line.substr(colon + 1));
    }
    at = line_end + 2;
  }
  const std::string length = answer.Field("content-length");
  if (head_only || answer.status == 204 || answer.status == 304 || answer.status == 100) {
    answer.complete = true;
  } else if (answer.Field("transfer-encoding") == "chunked") {
    answer.body = ReadChunks(&answer.complete);
  } else if (!length.empty()) {
    const size_t size = std::stoul(length);
    while (received_.size() < size && ReadMore(kPatienceMs)) {
    }
    answer.complete = received_.size() >= size;
    answer.body = received_.substr(0, size);
    received_.erase(0, std::min(size, received_.size()));
  } else {
    while (ReadMore(kPatienceMs)) {
    }
    answer.body = std::exchange(received_, {});
    answer.complete = true;
  }
  return answer;
}

std::string RawClient::ReadChunks(bool* complete) {
  std::string body;
  while (true) {
    if (!ReadUntil("\r\n")) return body;
    const size_t line_end = received_.find("\r\n");
    const size_t size = std::stoul(received_.substr(0, line_end), nullptr, 16);
    while (received_.size() < line_end + 2 + size + 2) {
      if (!ReadMore(kPatienceMs)) return body;
    }
    body += received_.substr(line_end + 2, size);
    received_.erase(0, line_end + 2 + size + 2);
    if (size > 0) continue;
    *complete = true;
    return body;
  }
}

void RawClient::ShutdownSend() { shutdown(socket_, SHUT_WR); }

void RawClient::Close() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void RawClient::Reset() {
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  Close();
}

void RawClient::SetReceiveBuffer(int bytes) {
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

std::string RequestText(const std::string& method, const std::string& path, const std::string& body,
                        const std::string& head) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\n", method, path);
  if (head.find("Host:") == std::string::npos) text += "Host: localhost\r\n";
  if (!body.empty()) text += fmt::format("Content-Length: {}\r\n", body.size());
  return text + head + "\r\n" + body;
}

HttpAnswer Request(uint16_t port, const std::string& method, const std::string& path,
                   const std::string& body, const std::string& head) {
  RawClient client(port);
  client.Send(RequestText(method, path, body, head));
  return client.ReadAnswer(method == "HEAD");
}

HttpAnswer Get(uint16_t port, const std::string& path, const std::string& head) {
  return Request(port, "GET", path, "", head);
}

HttpAnswer Post(uint16_t port, const std::string& path, const std::string& body,
                const std::string& head) {
  return Request(port, "POST", path, body, head);
}

}  // namespace ocelli::server::testing
