#include "server/listener.h"

#include <fmt/format.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace ocelli::server {
namespace {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

// Connections over the limit that are told so; beyond them they are closed without a word.
constexpr size_t kMaxRefused = 64;
constexpr std::chrono::milliseconds kPause{100};  // when the system has no more descriptors

// Returns the address to listen on. Names other than localhost are not looked up: which of their
// addresses was meant would be a guess.
Result<asio::ip::address> AddressOf(const std::string& host) {
  if (host == "localhost") return asio::ip::address(asio::ip::address_v4::loopback());
  error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  if (!error) return address;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("--host {} is no IP address (127.0.0.1, 0.0.0.0, ::1, ...)", host),
               "host"};
}

Error TlsError(const std::string& file, const error_code& error) {
  return Error{ErrorCode::kIo, fmt::format("{} cannot be used for TLS: {}", file, error.message()),
               "tls"};
}

}  // namespace

bool IsLoopbackHost(const std::string& host) {
  const auto address = AddressOf(host);
  return address.ok() && address->is_loopback();
}

Result<std::unique_ptr<Listener>> Listener::Open(asio::io_context& io, const ServerOptions& options,
                                                 HttpApp& app, Connections& connections,
                                                 Metrics& metrics) {
  std::unique_ptr<Listener> listener(new Listener(io, options, app, connections, metrics));
  OCELLI_RETURN_IF_ERROR(listener->LoadTls());
  OCELLI_RETURN_IF_ERROR(listener->Bind());
  return listener;
}

Listener::Listener(asio::io_context& io, const ServerOptions& options, HttpApp& app,
                   Connections& connections, Metrics& metrics)
    : io_(io),
      options_(options),
      app_(app),
      connections_(connections),
      metrics_(metrics),
      bodies_{options.max_body_bytes, std::make_shared<ByteBudget>(options.body_memory_bytes)},
      strand_(asio::make_strand(io)),
      acceptor_(strand_),
      pause_(strand_) {}

Status Listener::Bind() {
  OCELLI_ASSIGN_OR_RETURN(const asio::ip::address address, AddressOf(options_.host));
  const tcp::endpoint endpoint(address, options_.port);
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("{}:{} cannot be listened on: {}; --port takes another", options_.host,
                             options_.port, error.message()),
                 "port"};
  }
  port_ = acceptor_.local_endpoint(error).port();
  return {};
}

Status Listener::LoadTls() {
  if (options_.tls_certificate.empty() != options_.tls_key.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "TLS needs both a certificate (--tls-cert) and its key (--tls-key)", "tls"};
  }
  if (options_.tls_certificate.empty()) return {};
  tls_.emplace(ssl::context::tls_server);
  tls_->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 |
                    ssl::context::default_workarounds);
  error_code error;
  tls_->use_certificate_chain_file(options_.tls_certificate.string(), error);
  if (error) return TlsError(options_.tls_certificate.string(), error);
  tls_->use_private_key_file(options_.tls_key.string(), ssl::context::pem, error);
  if (error) return TlsError(options_.tls_key.string(), error);
  return {};
}

void Listener::Start() {
  asio::post(strand_, [this] { Accept(); });
}

void Listener::Close() {
  asio::post(strand_, [this] { CloseNow(); });
}

void Listener::CloseNow() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

void Listener::Accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(
      asio::make_strand(io_),
      asio::bind_executor(strand_, [this](const error_code& error, tcp::socket socket) {
        if (!acceptor_.is_open()) return;
        if (error) return PauseAfter(error);
        Take(std::move(socket));
        Accept();
      }));
}

void Listener::PauseAfter(const error_code& error) {
  LogWarning("a connection cannot be accepted: {}", error.message());
  pause_.expires_after(kPause);
  pause_.async_wait([this](const error_code&) { Accept(); });
}

void Listener::Take(tcp::socket socket) {
  const size_t open = connections_.size();
  if (open >= options_.max_connections + kMaxRefused) return;
  std::optional<HttpFault> refusal;
  if (open >= options_.max_connections) {
    metrics_.CountReject();
    refusal = HttpFault{503,
                        fmt::format("{} connections are open, which is the limit: try again later",
                                    options_.max_connections),
                        "too_many_connections"};
  }
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  auto transport =
      tls_ ? MakeTlsTransport(std::move(socket), *tls_) : MakePlainTransport(std::move(socket));
  const auto session = std::make_shared<Session>(std::move(transport), app_, options_, bodies_);
  connections_.Add(session);
  metrics_.AddConnections(1);
  session->Start(std::move(refusal), [this, session] {
    metrics_.AddConnections(-1);
    connections_.Remove(session);
  });
}

}  // namespace ocelli::server
