#ifndef OCELLI_SERVER_TEST_SERVER_H_
#define OCELLI_SERVER_TEST_SERVER_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/engine_options.h"
#include "server/server.h"
#include "server/test_client.h"

// Test code only.
namespace ocelli::server::testing {

// Holds the engine thread at its passes until the test lets it go on.
class Gate {
 public:
  void Pass();
  void Close();
  void Open();
  // Waits until the engine stands at the closed gate.
  bool WaitForArrival();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  bool arrived_ = false;
};

struct TestServerOptions {
  ServerOptions server;
  EngineOptions engine;
  std::chrono::milliseconds step{0};  // a pass takes this long
  bool set_service = true;

  TestServerOptions();
};

// A server on a free port over an engine with a fake model. Every answer is "aaaa...", as long as
// it may be.
class TestServer {
 public:
  explicit TestServer(const TestServerOptions& options = {});
  ~TestServer();

  uint16_t port() const { return server_->port(); }
  Server& server() { return *server_; }
  Engine& engine() { return *engine_; }
  Gate& gate() { return gate_; }
  Service service() const { return service_; }
  void StopServer() { server_.reset(); }

  HttpAnswer Chat(const std::string& body) { return Post(port(), "/v1/chat/completions", body); }
  // Waits, at most a while, until `done` holds for the engine's counters.
  bool WaitFor(const std::function<bool(const EngineStats&)>& done);

 private:
  Gate gate_;
  std::unique_ptr<Engine> engine_;
  Service service_;
  std::unique_ptr<Server> server_;
};

// Returns a small valid picture of one colour, and its data URL.
std::string PictureBytes(uint8_t red = 200, int side_px = 64);
std::string Base64(const std::string& bytes);
std::string PictureUrl(uint8_t red = 200);

// Returns the body of a chat request with one user message.
std::string ChatBody(const std::string& text, size_t max_tokens, bool stream = false);
// Likewise, with one picture part that stands before the text.
std::string PictureChatBody(const std::string& url, size_t max_tokens, bool stream = false);

}  // namespace ocelli::server::testing

#endif  // OCELLI_SERVER_TEST_SERVER_H_
