#ifndef OCELLI_API_CHAT_REQUEST_H_
#define OCELLI_API_CHAT_REQUEST_H_

#include <string_view>

#include "api/generation_call.h"
#include "api/request_defaults.h"
#include "base/error.h"

namespace ocelli::api {

// What POST /v1/chat/completions asks for.
struct ChatRequest {
  GenerationCall call;
  bool include_usage = false;     // stream_options.include_usage
  bool include_progress = false;  // stream_options.include_progress (Ocelli's own)
};

// Parses and checks the body of POST /v1/chat/completions. docs/api.md lists the fields: those that
// would change the answer and are not done here are errors, those that change nothing are ignored.
// Pictures are not loaded. **Errors**: kInvalidArgument and kUnsupported with the field as `param`;
// kNotFound (param "model") for another model's name. **Threads**: any.
Result<ChatRequest> ParseChatRequest(std::string_view body, const RequestDefaults& defaults);

}  // namespace ocelli::api

#endif  // OCELLI_API_CHAT_REQUEST_H_
