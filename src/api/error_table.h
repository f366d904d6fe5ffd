#ifndef OCELLI_API_ERROR_TABLE_H_
#define OCELLI_API_ERROR_TABLE_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ocelli::api {

// How an error leaves the server.
struct ErrorResponse {
  int status = 500;  // HTTP
  std::string body;  // JSON: {"error": {"message", "type", "param", "code"}}
  // Whether the same request may succeed later. False: send "x-should-retry: false", because
  // clients repeat some of these statuses of their own accord, and an answer takes a CPU minutes.
  bool retry_can_help = false;
  std::optional<int> retry_after_s;  // for Retry-After
};

// Returns the HTTP answer to `error`: its status by code and param (a prompt over the context is
// 400, a body or picture over its limit 413), with a message of at most 1,000 characters that is
// UTF-8 whatever bytes it held. **Threads**: any.
ErrorResponse ErrorResponseOf(const Error& error);

// The same for what only the HTTP side can know: 401, 403, 405, 408, 411, 413, 415, 429, 431, ...
// `code` names the case for programs ("invalid_api_key"); empty: none.
ErrorResponse ErrorResponseOf(int status, std::string_view message, std::string_view code);

// Returns the object of an error event in a stream: {"error": {"message", "type", "param",
// "code"}}, one line, the same as the body above.
std::string ErrorJson(const Error& error);

// Returns the error's place in the table as programs read it: "context_length_exceeded".
std::string_view ErrorCodeOf(const Error& error);

}  // namespace ocelli::api

#endif  // OCELLI_API_ERROR_TABLE_H_
