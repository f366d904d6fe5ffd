#ifndef OCELLI_SERVER_RESPONSES_H_
#define OCELLI_SERVER_RESPONSES_H_

#include <string>
#include <string_view>

#include "base/error.h"
#include "server/http_fault.h"
#include "server/http_message.h"

namespace ocelli::server {

// The whole answers that every route gives. **Threads**: any.
HttpResponse JsonResponse(std::string body, int status = 200);
HttpResponse TextResponse(std::string body, std::string_view content_type);
// OpenAI-shaped, with Retry-After and x-should-retry where they apply. `retry_after_s` above 0
// replaces the table's own estimate.
HttpResponse ErrorResponse(const Error& error, int retry_after_s = 0);
HttpResponse ErrorResponse(const HttpFault& fault);

// Puts the name of the request into the head of its answer and, when that is an error, into the
// error object, so that a report of it can be found in the log.
void NameRequest(HttpResponse& response, const std::string& id);

}  // namespace ocelli::server

#endif  // OCELLI_SERVER_RESPONSES_H_
