#include "server/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "api/chat_reply.h"
#include "api/chat_request.h"
#include "api/ids.h"
#include "api/models_list.h"
#include "api/multipart.h"
#include "api/predict.h"
#include "api/responses_reply.h"
#include "api/responses_request.h"
#include "api/tokenize.h"
#include "server/preparation.h"
#include "server/responses.h"

namespace ocelli::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

const HttpFault kNoForm{415, "this path takes a JSON object, and only /predict takes a form",
                        "unsupported_media_type"};

bool IsForm(const HttpRequest& request) {
  return api::IsMultipartForm(request.Field("content-type"));
}

Error Busy() {
  return Error{ErrorCode::kResourceExhausted, "too much is under way: try again later", ""};
}

api::ReplyContext ContextOf(const Service& service, std::string id,
                            std::vector<api::PictureUse> pictures = {}) {
  api::ReplyContext context;
  context.id = std::move(id);
  context.created = static_cast<int64_t>(std::time(nullptr));
  context.model = service.model_id;
  context.system_fingerprint = service.system_fingerprint;
  context.pictures = std::move(pictures);
  context.tokenizer = service.tokenizer;
  return context;
}

api::ModelCard CardOf(const Service& service, const ServerOptions& options,
                      const DecodeLimits& limits) {
  api::ModelCard card;
  card.id = service.model_id;
  card.created = service.created;
  card.max_context_tokens = service.max_context_tokens;
  card.default_params = service.default_params;
  card.processor = service.processor;
  card.default_picture = service.default_picture;
  card.max_body_bytes = options.max_body_bytes;
  card.max_file_bytes = std::min(options.max_picture_bytes, limits.max_encoded_bytes);
  card.max_source_pixels = limits.max_pixels;
  card.max_pictures = options.max_pictures;
  card.reasoning = service.thinking;
  return card;
}

// Moves the conversation out of `call`, with the rest as a copy: what is kept for the reply needs
// no pictures.
api::GenerationCall TakeCall(api::GenerationCall& call) {
  api::Conversation conversation = std::exchange(call.conversation, {});
  api::GenerationCall taken = call;
  taken.conversation = std::move(conversation);
  return taken;
}

Result<std::string> TokenizeReply(const api::TokenizeRequest& request,
                                  const Result<PreparedCall>& prepared,
                                  const api::RequestDefaults& defaults,
                                  const Tokenizer& tokenizer) {
  if (!prepared.ok()) return prepared.error();
  return api::TokenizeChatReply(request, prepared->request, defaults, tokenizer);
}

void Settle(const std::shared_ptr<Exchange>& exchange, Result<std::string> body) {
  exchange->Post([exchange, body = std::move(body)] {
    exchange->Respond(body.ok() ? JsonResponse(*body) : ErrorResponse(body.error()));
  });
}

}  // namespace

Routes::Routes(const ServerOptions& options, Readiness& readiness, Dispatcher& dispatcher,
               Metrics& metrics)
    : options_(options),
      readiness_(readiness),
      dispatcher_(dispatcher),
      metrics_(metrics),
      tasks_(options.result_lifetime, options.max_results) {}

void Routes::AddTo(Router& router) {
  AddOpen(router);
  AddService(router, "POST", "/v1/chat/completions", &Routes::Chat);
  AddService(router, "POST", "/v1/responses", &Routes::Responses);
  AddService(router, "GET", "/v1/models", &Routes::ListModels);
  AddService(router, "GET", "/v1/models/{id}", &Routes::ShowModel);
  AddService(router, "POST", "/v1/tokenize", &Routes::Tokenize);
  AddService(router, "POST", "/predict", &Routes::Predict);
  AddService(router, "GET", "/predict/{id}", &Routes::ShowTask);
  AddService(router, "DELETE", "/predict/{id}", &Routes::CancelTask);
  router.Add({"GET", "/metrics", RouteAccess::kKey, [this](const ExchangePtr& exchange) {
                const auto service = readiness_.service();
                exchange->Respond(
                    TextResponse(metrics_.Text(service ? service->engine : nullptr), kMetricsType));
              }});
}

void Routes::AddOpen(Router& router) {
  for (const char* path : {"/health", "/livez"}) {
    router.Add({"GET", path, RouteAccess::kOpen, [](const ExchangePtr& exchange) {
                  exchange->Respond(JsonResponse(R"({"status":"ok"})"));
                }});
  }
  for (const char* path : {"/ready", "/readyz"}) {
    router.Add({"GET", path, RouteAccess::kOpen, [this](const ExchangePtr& exchange) {
                  exchange->Respond(readiness_.Response(Clock::now()));
                }});
  }
}

void Routes::AddService(Router& router, const std::string& method, const std::string& pattern,
                        ServiceHandler handler) {
  router.Add({method, pattern, RouteAccess::kKey, [this, handler](const ExchangePtr& exchange) {
                if (const ServicePtr service = readiness_.service()) {
                  return (this->*handler)(exchange, service);
                }
                exchange->Respond(ErrorResponse(
                    Error{ErrorCode::kUnavailable,
                          "the model is still loading; /ready says how far it is", ""}));
              }});
}

void Routes::Chat(const ExchangePtr& exchange, const ServicePtr& service) {
  Generate(exchange, service,
           [this](const ServicePtr& model, std::string_view body) -> Result<Understood> {
             OCELLI_ASSIGN_OR_RETURN(api::ChatRequest request,
                                     api::ParseChatRequest(body, DefaultsOf(*model)));
             api::GenerationCall call = TakeCall(request.call);
             return Understood{
                 std::move(call), [model, request](std::vector<api::PictureUse> pictures) {
                   return api::MakeChatReply(
                       ContextOf(*model, api::NewId("chatcmpl-"), std::move(pictures)), request);
                 }};
           });
}

void Routes::Responses(const ExchangePtr& exchange, const ServicePtr& service) {
  Generate(exchange, service,
           [this](const ServicePtr& model, std::string_view body) -> Result<Understood> {
             OCELLI_ASSIGN_OR_RETURN(api::ResponsesRequest request,
                                     api::ParseResponsesRequest(body, DefaultsOf(*model)));
             api::GenerationCall call = TakeCall(request.call);
             return Understood{
                 std::move(call), [model, request](std::vector<api::PictureUse> pictures) {
                   return api::MakeResponsesReply(
                       ContextOf(*model, api::NewId("resp_"), std::move(pictures)), request);
                 }};
           });
}

void Routes::Generate(const ExchangePtr& exchange, const ServicePtr& service,
                      Understand understand) {
  if (IsForm(exchange->request())) return exchange->Respond(ErrorResponse(kNoForm));
  const auto writer = std::make_shared<ReplyWriter>(
      exchange, [this, service] { return dispatcher_.RetryAfterSeconds(*service); });
  const auto begun =
      dispatcher_.Begin(service, writer, exchange->request().id, exchange->request().scope);
  if (!begun.ok()) return RespondError(exchange, service, begun.error());
  const std::shared_ptr<Generation> generation = *begun;
  writer->Watch(generation);
  const auto body = std::make_shared<Exchange::Body>(exchange->TakeBody());
  const bool posted = dispatcher_.Post([=](ThreadPool&) {
    const Clock::time_point start = Clock::now();
    Result<Understood> understood = understand(service, body->bytes);
    if (!understood.ok()) return generation->Refuse(understood.error());
    body->bytes = std::string();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    exchange->Post([exchange, seconds] { exchange->AddStage("parse", seconds); });
    writer->Expect(understood->call.stream, std::move(understood->make_reply));
    generation->Run(std::move(understood->call), body);
  });
  if (!posted) generation->Refuse(Busy());
}

void Routes::Tokenize(const ExchangePtr& exchange, const ServicePtr& service) {
  if (IsForm(exchange->request())) return exchange->Respond(ErrorResponse(kNoForm));
  const auto body = std::make_shared<Exchange::Body>(exchange->TakeBody());
  const auto preparation =
      std::make_shared<Preparation>(dispatcher_.tools(), service, exchange->request().scope);
  exchange->OnGone([preparation] { preparation->Cancel(); });
  const bool posted = dispatcher_.Post([=, this](ThreadPool&) {
    const api::RequestDefaults defaults = DefaultsOf(*service);
    auto request = api::ParseTokenizeRequest(body->bytes, defaults);
    body->bytes = std::string();
    if (!request.ok()) return Settle(exchange, request.error());
    if (request->text) {
      return Settle(exchange, api::TokenizeTextReply(*request, defaults, *service->tokenizer));
    }
    api::GenerationCall call = TakeCall(request->call);
    request->call.conversation.messages = call.conversation.messages;
    preparation->Start(
        std::move(call), body,
        [exchange, service, defaults, request = *request](const Result<PreparedCall>& prepared) {
          Settle(exchange, TokenizeReply(request, prepared, defaults, *service->tokenizer));
        });
  });
  if (!posted) RespondError(exchange, service, Busy());
}

void Routes::ListModels(const ExchangePtr& exchange, const ServicePtr& service) {
  exchange->Respond(
      JsonResponse(api::ModelsListJson(CardOf(*service, options_, LimitsOf(*service)))));
}

void Routes::ShowModel(const ExchangePtr& exchange, const ServicePtr& service) {
  const auto body =
      api::ModelJson(CardOf(*service, options_, LimitsOf(*service)), exchange->request().parameter);
  exchange->Respond(body.ok() ? JsonResponse(*body) : ErrorResponse(body.error()));
}

void Routes::Predict(const ExchangePtr& exchange, const ServicePtr& service) {
  const std::string id = api::NewId("task_");
  const HttpRequest& request = exchange->request();
  const auto respond = [this, exchange, service, id](const Result<std::string>& json) {
    if (!json.ok()) tasks_.Remove(id);
    exchange->Post([this, exchange, service, id, json] {
      if (!json.ok()) return RespondError(exchange, service, json.error());
      HttpResponse response = JsonResponse(*json, 202);
      response.fields.emplace_back("Location", options_.base_path + "/predict/" + id);
      exchange->Respond(std::move(response));
    });
  };
  const auto task =
      std::make_shared<Task>(api::PredictTask(ContextOf(*service, id)), request.scope, respond);
  const auto begun = dispatcher_.Begin(service, task, request.id, request.scope);
  if (!begun.ok()) return RespondError(exchange, service, begun.error());
  const std::shared_ptr<Generation> generation = *begun;
  task->SetGeneration(generation);
  tasks_.Add(task);
  // Who leaves before the answer never learns the id.
  exchange->OnGone([generation] { generation->Cancel(); });
  const auto body = std::make_shared<Exchange::Body>(exchange->TakeBody());
  const std::string content_type(request.Field("content-type"));
  const bool posted = dispatcher_.Post([=, this](ThreadPool&) {
    auto call = api::ParsePredictRequest(content_type, body->bytes, DefaultsOf(*service));
    body->bytes = std::string();
    if (!call.ok()) return generation->Refuse(call.error());
    generation->Run(std::move(call).value(), body);
  });
  if (!posted) generation->Refuse(Busy());
}

void Routes::ShowTask(const ExchangePtr& exchange, const ServicePtr& service) {
  const HttpRequest& request = exchange->request();
  if (const auto task = tasks_.Find(request.parameter, request.scope)) {
    return exchange->Respond(JsonResponse(task->Json()));
  }
  RespondError(
      exchange, service,
      Error{ErrorCode::kNotFound, "there is no such task, or its result is forgotten", "task_id"});
}

void Routes::CancelTask(const ExchangePtr& exchange, const ServicePtr& service) {
  const HttpRequest& request = exchange->request();
  const auto task = tasks_.Find(request.parameter, request.scope);
  if (task) task->Cancel();
  ShowTask(exchange, service);
}

void Routes::RespondError(const ExchangePtr& exchange, const ServicePtr& service,
                          const Error& error) {
  const bool full = error.code == ErrorCode::kResourceExhausted;
  exchange->Respond(ErrorResponse(error, full ? dispatcher_.RetryAfterSeconds(*service) : 0));
}

DecodeLimits Routes::LimitsOf(const Service& service) const {
  return dispatcher_.tools().loader.LimitsOf(service, PixelWork::kDecode);
}

api::RequestDefaults Routes::DefaultsOf(const Service& service) const {
  return {service.model_id,           service.default_params, service.vocab_size,
          service.max_context_tokens, options_.max_pictures,  service.thinking};
}

}  // namespace ocelli::server
