#ifndef OCELLI_SERVER_SESSION_H_
#define OCELLI_SERVER_SESSION_H_

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/body_reader.h"
#include "server/head_parser.h"
#include "server/http_app.h"
#include "server/server_options.h"
#include "server/transport.h"

namespace ocelli::server {

// One connection: reads requests one after the other, has them answered and watches all the while
// whether the client is still there. A client that half-closes counts as gone, because one that was
// killed looks the same.
//
// It is one coroutine on one strand that sleeps on one timer: whatever happens (bytes came, bytes
// went, an answer grew) cuts the sleep short, and the deadline of the moment ends it.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `app`, `options` and the budget of `bodies` outlive the session.
  Session(std::unique_ptr<Transport> transport, HttpApp& app, const ServerOptions& options,
          BodyLimits bodies);

  // Serves the connection to its end, then calls `on_end` on the strand. With `refusal` set every
  // client gets just that and leaves. **Threads**: any, once.
  void Start(std::optional<HttpFault> refusal, std::function<void()> on_end);
  // Closes it once the request in progress is answered. **Threads**: any.
  void FinishSoon();
  // Closes it now. **Threads**: any.
  void Abort();

 private:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;
  enum class Io { kDone, kTimeout, kClosed };

  static Awaitable<void> Run(std::shared_ptr<Session> self, std::optional<HttpFault> refusal,
                             std::function<void()> on_end);
  Awaitable<void> Serve(std::optional<HttpFault> refusal);
  Awaitable<bool> ServeOne();

  Awaitable<bool> ReadHead(HeadParser& parser);
  Awaitable<bool> ReadBody(BodyReader& reader, HttpRequest& request);
  Awaitable<bool> SendContinue(const HttpRequest& request);
  Awaitable<bool> Answer(std::shared_ptr<Exchange> exchange);
  Awaitable<bool> SendAnswer(Exchange& exchange);
  Awaitable<bool> SendNews(Exchange& exchange, BodyFraming framing);
  Awaitable<bool> SendWhole(HttpResponse response);
  Awaitable<bool> WriteWhole(HttpResponse response);
  Awaitable<bool> SendFault(HttpFault fault);
  Awaitable<void> Linger();

  Awaitable<void> SleepUntil(TimePoint deadline);
  Awaitable<Io> ReadMore(TimePoint deadline);
  Awaitable<Io> Write(std::string bytes);
  void StartRead();
  void StartWrite(std::string_view bytes);
  void Wake() { timer_.cancel(); }
  void Begin(Clock::time_point now);
  void Conclude(int status, const Exchange::Stages& stages);
  bool KeepAlive(const HttpResponse& response) const;

  const std::unique_ptr<Transport> transport_;
  HttpApp& app_;
  const ServerOptions& options_;
  const BodyLimits bodies_;
  boost::asio::steady_timer timer_;

  std::string input_;  // read and not yet understood
  std::array<char, 32768> read_buffer_;
  std::string output_;  // being written
  size_t written_ = 0;  // by the last write
  bool reading_ = false;
  bool writing_ = false;
  bool read_closed_ = false;
  bool write_failed_ = false;
  bool stopping_ = false;
  bool served_ = false;  // a request; who just came may still send one while we stop
  bool idle_ = false;    // between two requests
  bool cut_ = false;     // an answer was begun and will not end

  // Of the request in progress.
  RequestRecord record_;
  std::vector<HttpField> fields_;
  TimePoint began_;
  bool head_only_ = false;   // HEAD
  bool keep_alive_ = false;  // what the client asked for
  int version_ = 11;
  bool body_pending_ = false;  // not read: what follows in the stream is no request
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_SESSION_H_
