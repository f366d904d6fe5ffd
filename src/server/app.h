#ifndef OCELLI_SERVER_APP_H_
#define OCELLI_SERVER_APP_H_

#include <string>
#include <string_view>

#include "server/gatekeeper.h"
#include "server/http_app.h"
#include "server/metrics.h"
#include "server/router.h"
#include "server/server_options.h"

namespace ocelli::server {

// What is the same for every request: its name, who may come in, where it goes, and its line in the
// log. **Threads**: immutable; every function from any.
class App : public HttpApp {
 public:
  // All but `options` and `gatekeeper` outlive the app.
  App(const ServerOptions& options, Gatekeeper gatekeeper, const Router& router, Metrics& metrics);

  Admission Admit(HttpRequest& request) override;
  HttpResponse FaultResponse(const HttpFault& fault) override;
  std::string NewRequestId() override;
  void Record(const RequestRecord& record) override;

 private:
  void AdmitTo(HttpRequest& request, Admission& admission) const;
  bool FindPath(HttpRequest& request) const;

  const std::string base_path_;
  const Gatekeeper gatekeeper_;
  const Router& router_;
  Metrics& metrics_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_APP_H_
