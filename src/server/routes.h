#ifndef OCELLI_SERVER_ROUTES_H_
#define OCELLI_SERVER_ROUTES_H_

#include <functional>
#include <memory>
#include <string>

#include "api/generation_call.h"
#include "api/request_defaults.h"
#include "server/dispatcher.h"
#include "server/exchange.h"
#include "server/metrics.h"
#include "server/readiness.h"
#include "server/reply_writer.h"
#include "server/router.h"
#include "server/server_options.h"
#include "server/task_board.h"

namespace ocelli::server {

// What each path of the API does. **Threads**: handlers run on any strand.
class Routes {
 public:
  // All outlive the routes.
  Routes(const ServerOptions& options, Readiness& readiness, Dispatcher& dispatcher,
         Metrics& metrics);

  // Adds every route to `router`, which must not outlive this.
  void AddTo(Router& router);

 private:
  using ExchangePtr = std::shared_ptr<Exchange>;
  using ServicePtr = std::shared_ptr<const Service>;
  using ServiceHandler = void (Routes::*)(const ExchangePtr&, const ServicePtr&);
  // A call as an endpoint understood it, and how its answer is made.
  struct Understood {
    api::GenerationCall call;
    ReplyWriter::MakeReply make_reply;
  };
  using Understand = std::function<Result<Understood>(const ServicePtr&, std::string_view body)>;

  void AddOpen(Router& router);
  void AddService(Router& router, const std::string& method, const std::string& pattern,
                  ServiceHandler handler);

  void Chat(const ExchangePtr& exchange, const ServicePtr& service);
  void Responses(const ExchangePtr& exchange, const ServicePtr& service);
  void Generate(const ExchangePtr& exchange, const ServicePtr& service, Understand understand);
  void Tokenize(const ExchangePtr& exchange, const ServicePtr& service);
  void ListModels(const ExchangePtr& exchange, const ServicePtr& service);
  void ShowModel(const ExchangePtr& exchange, const ServicePtr& service);
  void Predict(const ExchangePtr& exchange, const ServicePtr& service);
  void ShowTask(const ExchangePtr& exchange, const ServicePtr& service);
  void CancelTask(const ExchangePtr& exchange, const ServicePtr& service);

  void RespondError(const ExchangePtr& exchange, const ServicePtr& service, const Error& error);
  // What a picture may have that is not enhanced.
  DecodeLimits LimitsOf(const Service& service) const;
  api::RequestDefaults DefaultsOf(const Service& service) const;

  const ServerOptions& options_;
  Readiness& readiness_;
  Dispatcher& dispatcher_;
  Metrics& metrics_;
  TaskBoard tasks_;
};

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_ROUTES_H_
