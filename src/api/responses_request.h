#ifndef OCELLI_API_RESPONSES_REQUEST_H_
#define OCELLI_API_RESPONSES_REQUEST_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/generation_call.h"
#include "api/request_defaults.h"
#include "base/error.h"

namespace ocelli::api {

// What POST /v1/responses asks for. The members after `call` only come back in the reply.
struct ResponsesRequest {
  GenerationCall call;
  std::optional<std::string> instructions;
  std::optional<size_t> max_output_tokens;                      // as it was asked for
  std::string metadata = "{}";                                  // JSON
  std::string reasoning = R"({"effort":null,"summary":null})";  // JSON
  bool parallel_tool_calls = true;
  std::optional<std::string> safety_identifier;
  std::optional<std::string> prompt_cache_key;
  std::optional<std::string> user;
};

// Parses and checks the body of POST /v1/responses. Nothing is ever stored: `store` is accepted and
// the reply says false. **Errors**: as ParseChatRequest. **Threads**: any.
Result<ResponsesRequest> ParseResponsesRequest(std::string_view body,
                                               const RequestDefaults& defaults);

}  // namespace ocelli::api

#endif  // OCELLI_API_RESPONSES_REQUEST_H_
