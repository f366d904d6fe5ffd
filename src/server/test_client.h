#ifndef OCELLI_SERVER_TEST_CLIENT_H_
#define OCELLI_SERVER_TEST_CLIENT_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

// Test code only.
namespace ocelli::server::testing {

// An answer as it came. Names of fields are in lower case.
struct HttpAnswer {
  int status = 0;  // 0: the connection ended without an answer
  std::map<std::string, std::string> fields;
  std::string body;
  bool complete = false;  // the body came to its end

  std::string Field(const std::string& name) const;
  nlohmann::json Json() const { return nlohmann::json::parse(body, nullptr, false); }
  // Returns error.message and so on; "" when it is not there or null.
  std::string Error(const std::string& name) const;
};

// One connection to 127.0.0.1 that sends whatever bytes a test likes. Waits are bounded: a test
// fails rather than hangs.
class RawClient {
 public:
  explicit RawClient(uint16_t port);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Sends all of `bytes`. Returns false when the other side has closed.
  bool Send(std::string_view bytes);
  // Sends what the system takes without waiting; returns how many bytes.
  size_t SendSome(std::string_view bytes);
  // Reads until `text` has come; false when the connection ends before.
  bool ReadUntil(std::string_view text);
  // Reads one answer. `head_only`: to a HEAD request.
  HttpAnswer ReadAnswer(bool head_only = false);
  // Whether the other side closes the connection (after what was not read yet).
  bool WaitForClose();
  // Waits for `text` to come within `milliseconds`.
  bool Sees(std::string_view text, int milliseconds);

  void ShutdownSend();
  void Close();
  // Closes without the usual farewell, as a machine that is switched off does.
  void Reset();
  void SetReceiveBuffer(int bytes);

  const std::string& received() const { return received_; }

 private:
  bool ReadMore(int timeout_ms);
  std::string ReadChunks(bool* complete);

  int socket_ = -1;
  std::string received_;  // and not taken yet
};

// One request on a connection of its own. `head` holds further header lines, each with "\r\n".
HttpAnswer Get(uint16_t port, const std::string& path, const std::string& head = "");
HttpAnswer Post(uint16_t port, const std::string& path, const std::string& body,
                const std::string& head = "Content-Type: application/json\r\n");
HttpAnswer Request(uint16_t port, const std::string& method, const std::string& path,
                   const std::string& body = "", const std::string& head = "");

// Returns the bytes of such a request.
std::string RequestText(const std::string& method, const std::string& path, const std::string& body,
                        const std::string& head);

}  // namespace ocelli::server::testing

#endif  // OCELLI_SERVER_TEST_CLIENT_H_
