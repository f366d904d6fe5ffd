#ifndef OCELLI_API_GENERATION_CALL_H_
#define OCELLI_API_GENERATION_CALL_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/chat_messages.h"
#include "base/error.h"
#include "engine/request.h"
#include "engine/sampling_params.h"
#include "picture/patches.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ocelli::api {

// What every endpoint that generates text boils down to once its JSON is understood.
struct GenerationCall {
  std::string model;                           // as the caller named it; empty: not named
  std::string_view prompt_field = "messages";  // of the request, for faults of the whole prompt
  Conversation conversation;
  ChatTemplateOptions chat_template;
  SamplingParams params;
  bool stream = false;
  std::optional<std::chrono::milliseconds> timeout;  // ends the answer; see MakeGenerateRequest
};

// Returns `error` with the name of the request's field where it is about the prompt as a whole.
Error AtPromptField(Error error, std::string_view prompt_field);

// Makes the engine's request for `call`, whose pictures are loaded: `pictures[i]` is that of
// call.conversation.pictures[i]. A timeout counts from here. **Errors**: those of ApplyChatTemplate
// and TokenizePrompt.
// **Threads**: any.
Result<GenerateRequest> MakeGenerateRequest(const GenerationCall& call,
                                            std::vector<std::shared_ptr<const Patches>> pictures,
                                            const Tokenizer& tokenizer);

}  // namespace ocelli::api

#endif  // OCELLI_API_GENERATION_CALL_H_
