#ifndef OCELLI_SERVER_HTTP_APP_H_
#define OCELLI_SERVER_HTTP_APP_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/exchange.h"
#include "server/http_fault.h"
#include "server/http_message.h"

namespace ocelli::server {

// Answers one exchange, now or later; called on its strand.
using RouteHandler = std::function<void(const std::shared_ptr<Exchange>&)>;

// What is decided about a request before its body is read.
struct Admission {
  std::optional<HttpResponse> refusal;  // answers it; the body is not read
  RouteHandler handler;                 // otherwise
  std::string route;                    // the route's pattern, for log and metrics; never the path
  std::vector<HttpField> fields;        // of every answer to it: request id, CORS
};

// What became of one request, for log and metrics.
struct RequestRecord {
  std::string id;
  std::string method;
  std::string route;
  int status = 0;  // 499: the client left before its answer
  size_t sent_bytes = 0;
  double seconds = 0;
  Exchange::Stages stages;
};

// What connections ask for everything that is not the protocol itself.
// **Threads**: every function from any thread.
class HttpApp {
 public:
  virtual ~HttpApp() = default;
  // Looks at a head: sets id, path, scope and parameter of `request`, finds its route, checks
  // access.
  virtual Admission Admit(HttpRequest& request) = 0;
  // Returns the answer to something that could not be read.
  virtual HttpResponse FaultResponse(const HttpFault& fault) = 0;
  // Returns a name for a request that has none of its own.
  virtual std::string NewRequestId() = 0;
  virtual void Record(const RequestRecord& record) = 0;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_HTTP_APP_H_
