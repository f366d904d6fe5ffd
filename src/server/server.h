#ifndef OCELLI_SERVER_SERVER_H_
#define OCELLI_SERVER_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "server/server_options.h"
#include "server/service.h"

namespace ocelli::server {

// The HTTP service. It listens before the model is there, so that /health and /ready can say how
// far loading is; other routes answer 503 until then.
// **Threads**: every function from any thread; it makes its own.
class Server {
 public:
  // Binds and starts to answer. **Errors**: kInvalidArgument naming the option; kIo when the
  // address is taken or the TLS files cannot be read.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options);
  // Stops at once.
  virtual ~Server() = default;

  // The port that is listened on.
  virtual uint16_t port() const = 0;

  // Says how far loading is: a stage ("loading weights") and its share, 0 to 1.
  virtual void SetLoading(const std::string& stage, double progress) = 0;
  // Makes `service` answer from now on. Called once.
  virtual void SetService(const Service& service) = 0;

  // Accepts nothing new, lets running answers end for at most options.drain_timeout, cancels the
  // rest, closes every connection and returns. /ready answers 503 meanwhile.
  virtual void Drain() = 0;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_SERVER_H_
