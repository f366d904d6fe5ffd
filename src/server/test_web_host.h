#ifndef OCELLI_SERVER_TEST_WEB_HOST_H_
#define OCELLI_SERVER_TEST_WEB_HOST_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

// Test code only.
namespace ocelli::server::testing {

// Somebody else's web server: takes one connection after the other, reads a request's head and
// sends whatever the test makes of it.
class TestWebHost {
 public:
  // Returns the whole answer to `head`.
  using Answer = std::function<std::string(const std::string& head)>;

  explicit TestWebHost(Answer answer);
  ~TestWebHost();
  TestWebHost(const TestWebHost&) = delete;
  TestWebHost& operator=(const TestWebHost&) = delete;

  uint16_t port() const { return port_; }
  int num_connections() const { return num_connections_; }
  std::string Url(const std::string& path) const;

  // Returns an answer with a status line, a length and `body`.
  static std::string Reply(const std::string& status, const std::string& body,
                           const std::string& head = "");

 private:
  void Run();
  void Serve(int connection);

  const Answer answer_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<int> num_connections_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace ocelli::server::testing

#endif  // OCELLI_SERVER_TEST_WEB_HOST_H_
