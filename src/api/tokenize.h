#ifndef OCELLI_API_TOKENIZE_H_
#define OCELLI_API_TOKENIZE_H_

#include <optional>
#include <string>
#include <string_view>

#include "api/generation_call.h"
#include "api/request_defaults.h"
#include "base/error.h"
#include "engine/request.h"
#include "text/tokenizer.h"

namespace ocelli::api {

// What POST /v1/tokenize asks for: a conversation as chat completions would render it, or a text.
struct TokenizeRequest {
  std::optional<std::string> text;  // of "prompt" or "text"; unset: `call` holds "messages"
  GenerationCall call;
  bool return_token_strs = false;  // what each token reads as
};

// Parses the body of POST /v1/tokenize. **Errors**: as ParseChatRequest.
Result<TokenizeRequest> ParseTokenizeRequest(std::string_view body,
                                             const RequestDefaults& defaults);

// Returns the answer for a text, whose control strings are plain text like any other.
std::string TokenizeTextReply(const TokenizeRequest& request, const RequestDefaults& defaults,
                              const Tokenizer& tokenizer);

// Returns the answer for a conversation whose prompt is `prompt` (its pictures loaded): tokens,
// their count, the image tokens of each picture, and the rendered prompt.
// **Errors**: those of ApplyChatTemplate.
Result<std::string> TokenizeChatReply(const TokenizeRequest& request, const GenerateRequest& prompt,
                                      const RequestDefaults& defaults, const Tokenizer& tokenizer);

}  // namespace ocelli::api

#endif  // OCELLI_API_TOKENIZE_H_
