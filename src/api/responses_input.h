#ifndef OCELLI_API_RESPONSES_INPUT_H_
#define OCELLI_API_RESPONSES_INPUT_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "api/chat_messages.h"
#include "base/error.h"

namespace ocelli::api {

// A conversation made of the items of a Responses request.
struct ResponsesInput {
  Conversation conversation;
  // For each message, where it came from: "input", "input[3]", "instructions".
  std::vector<std::string> sources;
};

// Appends `input` (a string, or a list of message, function_call, function_call_output and
// reasoning items) to `result`. Function calls join the assistant message before them, as chat
// completions have it; reasoning belongs to the assistant's message or call after it. Strings are
// moved out.
// **Errors**: kInvalidArgument, kUnsupported with "input[i]..." as `param`.
Status ParseResponsesInput(nlohmann::ordered_json input, ResponsesInput& result);

// Returns `error` with a place in "messages" turned into the place in the request.
Error AtSource(Error error, const std::vector<std::string>& sources);

}  // namespace ocelli::api

#endif  // OCELLI_API_RESPONSES_INPUT_H_
