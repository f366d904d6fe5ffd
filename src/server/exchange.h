#ifndef OCELLI_SERVER_EXCHANGE_H_
#define OCELLI_SERVER_EXCHANGE_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/byte_budget.h"
#include "server/http_message.h"

namespace ocelli::server {

// One request and the way to its answer: whole (Respond), or streamed (StartStream, Send ..., End).
// A route may keep it and answer later. Once the client is gone answers go nowhere.
// **Threads**: Post from any; everything else on the connection's strand, where routes are called
// and posted tasks run.
class Exchange {
 public:
  using Task = std::function<void()>;
  using Stages = std::vector<std::pair<std::string, double>>;  // name, seconds
  // The bytes of a body and what they take of the budget of all bodies.
  struct Body {
    std::string bytes;
    ByteShare share;
  };

  Exchange(HttpRequest request, ByteShare body_share, std::function<void(Task)> post)
      : request_(std::move(request)), body_share_(std::move(body_share)), post_(std::move(post)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const HttpRequest& request() const { return request_; }
  // Moves the body out, so that it can be freed before the answer is complete.
  Body TakeBody() { return {std::move(request_.body), std::move(body_share_)}; }

  // Runs `task` on the strand, in the order of the calls of one thread.
  void Post(Task task) { post_(std::move(task)); }

  // Answers whole. The first answer counts.
  void Respond(HttpResponse response);

  // Answers with a stream: head now, bytes as they come. `ping` is sent when nothing else was for
  // a while.
  void StartStream(HttpResponse head, std::string ping);
  void Send(std::string_view bytes);
  void End();
  // Breaks the connection off: the client sees that the answer is not complete.
  void Abort();

  // Whether the answer was begun.
  bool answered() const { return head_.has_value(); }
  bool streaming() const { return streaming_; }
  // What was sent here and did not reach the system yet: a client that reads slowly.
  size_t unsent_bytes() const { return outbox_.size() + writing_bytes_; }

  // Calls `task` when the client leaves before its answer is complete; at once if it has left.
  void OnGone(Task task);
  bool gone() const { return gone_; }

  // Names a part of the time that this request took, for its log line.
  void AddStage(std::string name, double seconds) {
    stages_.emplace_back(std::move(name), seconds);
  }

  // For the connection only.
  void SetWake(Task wake) { wake_ = std::move(wake); }
  void SetGone();
  void SetWritingBytes(size_t bytes) { writing_bytes_ = bytes; }
  const HttpResponse& head() const { return *head_; }
  // Moves a whole answer out; of it only status, fields and close are kept.
  HttpResponse TakeHead();
  const std::string& ping() const { return ping_; }
  std::string TakeOutbox() { return std::exchange(outbox_, {}); }
  bool ended() const { return ended_; }
  bool aborted() const { return aborted_; }
  bool HasNews() const { return !outbox_.empty() || ended_ || aborted_; }
  const Stages& stages() const { return stages_; }

 private:
  void Wake() {
    if (wake_) wake_();
  }

  HttpRequest request_;
  ByteShare body_share_;
  const std::function<void(Task)> post_;
  Task wake_;  // null once the connection has no use for news
  Task on_gone_;
  std::optional<HttpResponse> head_;
  std::string outbox_;
  size_t writing_bytes_ = 0;
  std::string ping_;
  bool streaming_ = false;
  bool ended_ = false;
  bool aborted_ = false;
  bool gone_ = false;
  Stages stages_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_EXCHANGE_H_
