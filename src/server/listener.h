#ifndef OCELLI_SERVER_LISTENER_H_
#define OCELLI_SERVER_LISTENER_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "server/body_reader.h"
#include "server/connections.h"
#include "server/http_app.h"
#include "server/metrics.h"
#include "server/server_options.h"

namespace ocelli::server {

// Accepts connections and starts a session for each. **Threads**: as the functions say.
class Listener {
 public:
  // Binds and listens. All but `options.host` and the like outlive the listener.
  // **Errors**: kInvalidArgument for a host that is no address or name; kIo when it is taken, or
  // when the TLS files cannot be read.
  static Result<std::unique_ptr<Listener>> Open(boost::asio::io_context& io,
                                                const ServerOptions& options, HttpApp& app,
                                                Connections& connections, Metrics& metrics);

  uint16_t port() const { return port_; }
  bool tls() const { return tls_.has_value(); }
  // Begins to accept. **Threads**: any, once.
  void Start();
  // Accepts nothing more. **Threads**: any.
  void Close();
  // The same at once. **Threads**: only when nobody runs the io_context any more.
  void CloseNow();

 private:
  using tcp = boost::asio::ip::tcp;
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

  Listener(boost::asio::io_context& io, const ServerOptions& options, HttpApp& app,
           Connections& connections, Metrics& metrics);
  Status Bind();
  Status LoadTls();
  void Accept();
  void Take(tcp::socket socket);
  void PauseAfter(const boost::system::error_code& error);

  boost::asio::io_context& io_;
  const ServerOptions& options_;
  HttpApp& app_;
  Connections& connections_;
  Metrics& metrics_;
  BodyLimits bodies_;
  Strand strand_;
  tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::optional<boost::asio::ssl::context> tls_;
  uint16_t port_ = 0;
};

// Whether `host` (an address or "localhost") is only reached from this machine.
bool IsLoopbackHost(const std::string& host);

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_LISTENER_H_
