#include "server/responses.h"

#include <utility>

#include "api/error_table.h"

namespace ocelli::server {
namespace {

HttpResponse FromTable(api::ErrorResponse error) {
  HttpResponse response;
  response.status = error.status;
  response.body = std::move(error.body);
  if (error.retry_after_s) {
    response.fields.emplace_back("Retry-After", std::to_string(*error.retry_after_s));
  }
  if (!error.retry_can_help) response.fields.emplace_back("X-Should-Retry", "false");
  return response;
}

}  // namespace

HttpResponse JsonResponse(std::string body, int status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse TextResponse(std::string body, std::string_view content_type) {
  HttpResponse response;
  response.content_type = content_type;
  response.body = std::move(body);
  return response;
}

HttpResponse ErrorResponse(const Error& error, int retry_after_s) {
  api::ErrorResponse table = api::ErrorResponseOf(error);
  if (retry_after_s > 0 && table.retry_after_s) table.retry_after_s = retry_after_s;
  return FromTable(std::move(table));
}

HttpResponse ErrorResponse(const HttpFault& fault) {
  HttpResponse response = FromTable(api::ErrorResponseOf(fault.status, fault.message, fault.code));
  if (fault.status == 401) response.fields.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

void NameRequest(HttpResponse& response, const std::string& id) {
  response.fields.emplace_back("X-Request-Id", id);
  constexpr std::string_view kEnd = "}}";  // of {"error": {...}}, as the error table writes it
  if (response.status < 400 || !response.body.ends_with(kEnd)) return;
  // Ids are letters, digits, '-', '_' and '.': nothing in them needs an escape.
  response.body.insert(response.body.size() - kEnd.size(), ",\"request_id\":\"" + id + "\"");
}

}  // namespace ocelli::server
