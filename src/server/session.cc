#include "server/session.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

#include "base/log.h"
#include "server/responses.h"

// GCC 12 destroys some temporaries of a co_await expression twice, so what is handed to a coroutine
// here is always a variable.
namespace ocelli::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kMaxPipelinedBytes = size_t{64} << 10;  // read ahead while an answer is made
constexpr int64_t kSlowestBodyBytesPerSecond = 1024;     // below this a body only holds a place
// How long the rest of a refused request is read, so that the client sees the answer and not a
// connection that was reset under its hands.
constexpr seconds kLingerIdle{2};
constexpr seconds kLingerTotal{20};
constexpr int kClientLeft = 499;  // in log and metrics only; as nginx has it

double SecondsBetween(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Tells an exchange, however its connection ends, that nobody listens any more.
struct ExchangeEnd {
  Exchange& exchange;
  bool complete = false;
  ~ExchangeEnd() {
    exchange.SetWake(nullptr);
    if (!complete) exchange.SetGone();
  }
};

}  // namespace

Session::Session(std::unique_ptr<Transport> transport, HttpApp& app, const ServerOptions& options,
                 BodyLimits bodies)
    : transport_(std::move(transport)),
      app_(app),
      options_(options),
      bodies_(bodies),
      timer_(transport_->executor()) {}

void Session::Start(std::optional<HttpFault> refusal, std::function<void()> on_end) {
  asio::co_spawn(transport_->executor(),
                 Run(shared_from_this(), std::move(refusal), std::move(on_end)), asio::detached);
}

void Session::FinishSoon() {
  asio::post(transport_->executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    self->Wake();
  });
}

void Session::Abort() {
  asio::post(transport_->executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    self->read_closed_ = true;
    self->transport_->Close();
    self->Wake();
  });
}

Session::Awaitable<void> Session::Run(std::shared_ptr<Session> self,
                                      std::optional<HttpFault> refusal,
                                      std::function<void()> on_end) {
  try {
    co_await self->Serve(std::move(refusal));
  } catch (const std::exception& error) {
    LogError("a connection ended: {}", error.what());
  }
  self->transport_->Close();
  on_end();
}

Session::Awaitable<void> Session::Serve(std::optional<HttpFault> refusal) {
  reading_ = true;
  transport_->Handshake([self = shared_from_this()](const error_code& error, size_t) {
    self->reading_ = false;
    self->read_closed_ = static_cast<bool>(error);
    self->Wake();
  });
  const Io shaken = co_await ReadMore(Clock::now() + options_.header_timeout);
  if (shaken != Io::kDone) co_return;
  bool again = !refusal;
  if (refusal) {
    Begin(Clock::now());
    co_await SendFault(std::move(*refusal));
  }
  while (again) again = co_await ServeOne();
  co_await Linger();
}

Session::Awaitable<bool> Session::ServeOne() {
  HeadParser parser(options_.max_header_bytes);
  const bool has_head = co_await ReadHead(parser);
  if (!has_head) co_return false;
  HttpRequest request = std::move(parser.request());
  version_ = request.version;
  keep_alive_ = request.keep_alive;
  head_only_ = request.method == "HEAD";
  body_pending_ = request.HasBody();
  Admission admission = app_.Admit(request);
  record_.id = request.id;
  record_.method = request.method;
  record_.route = std::move(admission.route);
  fields_ = std::move(admission.fields);
  if (admission.refusal) {
    const bool kept = co_await SendWhole(std::move(*admission.refusal));
    co_return kept;
  }
  BodyReader reader(bodies_);
  const bool has_body = co_await ReadBody(reader, request);
  if (!has_body) co_return false;
  const auto exchange =
      std::make_shared<Exchange>(std::move(request), reader.TakeShare(),
                                 [executor = transport_->executor()](Exchange::Task task) {
                                   asio::post(executor, std::move(task));
                                 });
  exchange->SetWake([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Wake();
  });
  admission.handler(exchange);
  const bool kept = co_await Answer(exchange);
  co_return kept;
}

Session::Awaitable<bool> Session::ReadHead(HeadParser& parser) {
  Begin(Clock::now());
  bool started = false;
  TimePoint deadline = began_ + options_.idle_timeout;
  while (true) {
    while (!started && input_.starts_with("\r\n")) input_.erase(0, 2);  // RFC 9112, 2.2
    if (!input_.empty()) {
      if (!started) {
        started = true;
        Begin(Clock::now());
        deadline = began_ + options_.header_timeout;
      }
      input_.erase(0, parser.Put(input_));
      if (parser.fault()) {
        HttpFault fault = *parser.fault();
        co_await SendFault(std::move(fault));
        co_return false;
      }
      if (parser.done()) co_return true;
    }
    idle_ = served_ && !started;
    const Io io = co_await ReadMore(deadline);
    idle_ = false;
    if (io == Io::kTimeout && started) {
      HttpFault fault{408, "the head of the request did not come in time", ""};
      co_await SendFault(std::move(fault));
    }
    if (io != Io::kDone) co_return false;
  }
}

Session::Awaitable<bool> Session::ReadBody(BodyReader& reader, HttpRequest& request) {
  reader.Begin(request);
  if (!reader.fault() && request.Find("expect") != nullptr) {
    const bool sent = co_await SendContinue(request);
    if (!sent) co_return false;
  }
  const TimePoint start = Clock::now();
  int64_t received = 0;
  while (!reader.fault() && !reader.done()) {
    const size_t used = reader.Put(input_);
    input_.erase(0, used);
    received += static_cast<int64_t>(used);
    if (reader.fault() || reader.done()) break;
    const TimePoint slowest =
        start + options_.body_timeout + seconds(received / kSlowestBodyBytesPerSecond);
    const Io io = co_await ReadMore(std::min(Clock::now() + options_.body_timeout, slowest));
    if (io == Io::kTimeout) {
      HttpFault fault{408, "the body did not come in time", ""};
      co_await SendFault(std::move(fault));
    }
    if (io != Io::kDone) co_return false;
  }
  if (reader.fault()) {
    HttpFault fault = *reader.fault();
    co_await SendFault(std::move(fault));
    co_return false;
  }
  body_pending_ = false;
  request.body = reader.TakeBody();
  co_return true;
}

Session::Awaitable<bool> Session::SendContinue(const HttpRequest& request) {
  if (LowerCase(request.Field("expect")) != "100-continue") {
    HttpFault fault{417, "of expectations only 100-continue is known", ""};
    co_await SendFault(std::move(fault));
    co_return false;
  }
  if (!request.HasBody() || !input_.empty() || version_ < 11) co_return true;
  std::string bytes = "HTTP/1.1 100 Continue\r\n\r\n";
  const Io io = co_await Write(std::move(bytes));
  co_return io == Io::kDone;
}

Session::Awaitable<bool> Session::Answer(std::shared_ptr<Exchange> exchange) {
  ExchangeEnd end{*exchange};
  end.complete = co_await SendAnswer(*exchange);
  Conclude(end.complete ? exchange->head().status : kClientLeft, exchange->stages());
  cut_ = !end.complete;
  const bool kept = end.complete && KeepAlive(exchange->head());
  co_return kept;
}

Session::Awaitable<bool> Session::SendAnswer(Exchange& exchange) {
  while (!exchange.answered()) {
    if (exchange.aborted() || read_closed_) co_return false;
    StartRead();
    co_await SleepUntil(TimePoint::max());
  }
  if (!exchange.streaming()) {
    HttpResponse response = exchange.TakeHead();
    const bool whole = co_await WriteWhole(std::move(response));
    co_return whole;
  }
  HttpResponse head = exchange.head();
  head.fields.insert(head.fields.end(), fields_.begin(), fields_.end());
  NameRequest(head, record_.id);
  const BodyFraming framing = version_ < 11 ? BodyFraming::kClose : BodyFraming::kChunked;
  if (framing == BodyFraming::kClose) keep_alive_ = false;
  std::string bytes = SerializeHead(head, framing, 0, KeepAlive(head));
  const Io io = co_await Write(std::move(bytes));
  if (io != Io::kDone) co_return false;
  const bool sent = co_await SendNews(exchange, framing);
  co_return sent;
}

Session::Awaitable<bool> Session::SendNews(Exchange& exchange, BodyFraming framing) {
  const bool chunked = framing == BodyFraming::kChunked;
  TimePoint next_ping = Clock::now() + options_.ping_interval;
  while (true) {
    if (exchange.aborted() || read_closed_) co_return false;
    std::string bytes = exchange.TakeOutbox();
    if (bytes.empty() && exchange.ended()) break;
    if (bytes.empty() && Clock::now() >= next_ping) bytes = exchange.ping();
    if (bytes.empty()) {
      StartRead();
      co_await SleepUntil(next_ping);
      continue;
    }
    exchange.SetWritingBytes(bytes.size());
    if (chunked) bytes = SerializeChunk(bytes);
    const Io io = co_await Write(std::move(bytes));
    exchange.SetWritingBytes(0);
    if (io != Io::kDone) co_return false;
    next_ping = Clock::now() + options_.ping_interval;
  }
  if (!chunked) co_return true;
  std::string last_chunk = "0\r\n\r\n";
  const Io io = co_await Write(std::move(last_chunk));
  co_return io == Io::kDone;
}

Session::Awaitable<bool> Session::SendWhole(HttpResponse response) {
  const int status = response.status;
  const bool keep = KeepAlive(response);
  const bool written = co_await WriteWhole(std::move(response));
  Conclude(status, {});
  const bool kept = keep && written;
  co_return kept;
}

Session::Awaitable<bool> Session::WriteWhole(HttpResponse response) {
  response.fields.insert(response.fields.end(), fields_.begin(), fields_.end());
  NameRequest(response, record_.id);
  const bool no_body = response.status == 204 || response.status == 304;
  const BodyFraming framing = no_body ? BodyFraming::kNone : BodyFraming::kLength;
  std::string bytes = SerializeHead(response, framing, response.body.size(), KeepAlive(response));
  if (!head_only_ && !no_body) bytes += response.body;
  const Io io = co_await Write(std::move(bytes));
  co_return io == Io::kDone;
}

Session::Awaitable<bool> Session::SendFault(HttpFault fault) {
  HttpResponse response = app_.FaultResponse(fault);
  response.close = true;
  const bool sent = co_await SendWhole(std::move(response));
  co_return sent;
}

Session::Awaitable<void> Session::Linger() {
  if (read_closed_) co_return;
  transport_->ShutdownSend(!cut_);
  const TimePoint end = Clock::now() + kLingerTotal;
  Io io = Io::kDone;
  while (io == Io::kDone) {
    input_.clear();
    io = co_await ReadMore(std::min(end, Clock::now() + kLingerIdle));
  }
}

Session::Awaitable<void> Session::SleepUntil(TimePoint deadline) {
  error_code ignored;
  timer_.expires_at(deadline);
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

Session::Awaitable<Session::Io> Session::ReadMore(TimePoint deadline) {
  StartRead();
  while (reading_) {
    if (Clock::now() >= deadline) co_return Io::kTimeout;
    if (read_closed_ || (stopping_ && idle_)) co_return Io::kClosed;
    co_await SleepUntil(deadline);
  }
  co_return read_closed_ ? Io::kClosed : Io::kDone;
}

void Session::StartRead() {
  if (reading_ || read_closed_ || input_.size() > kMaxPipelinedBytes) return;
  reading_ = true;
  transport_->ReadSome(asio::buffer(read_buffer_),
                       [self = shared_from_this()](const error_code& error, size_t bytes) {
                         self->reading_ = false;
                         if (error) self->read_closed_ = true;
                         self->input_.append(self->read_buffer_.data(), bytes);
                         self->Wake();
                       });
}

Session::Awaitable<Session::Io> Session::Write(std::string bytes) {
  output_ = std::move(bytes);
  std::string_view rest = output_;
  while (!rest.empty()) {
    StartWrite(rest);
    const TimePoint deadline = Clock::now() + options_.write_timeout;
    while (writing_) {
      if (Clock::now() >= deadline) {
        transport_->Close();
        read_closed_ = true;
        co_return Io::kTimeout;
      }
      co_await SleepUntil(deadline);
    }
    if (write_failed_) co_return Io::kClosed;
    rest.remove_prefix(written_);
    record_.sent_bytes += written_;
  }
  co_return Io::kDone;
}

void Session::StartWrite(std::string_view bytes) {
  writing_ = true;
  transport_->WriteSome(asio::buffer(bytes.data(), bytes.size()),
                        [self = shared_from_this()](const error_code& error, size_t count) {
                          self->writing_ = false;
                          self->write_failed_ = static_cast<bool>(error);
                          self->written_ = count;
                          self->Wake();
                        });
}

void Session::Begin(TimePoint now) {
  record_ = {};
  record_.id = app_.NewRequestId();
  record_.method = "-";
  record_.route = "(none)";
  fields_.clear();
  began_ = now;
  head_only_ = false;
}

void Session::Conclude(int status, const Exchange::Stages& stages) {
  record_.status = status;
  record_.seconds = SecondsBetween(began_, Clock::now());
  record_.stages = stages;
  app_.Record(record_);
  served_ = true;
}

bool Session::KeepAlive(const HttpResponse& response) const {
  return keep_alive_ && !response.close && !body_pending_ && !stopping_;
}

}  // namespace ocelli::server
