#include "api/generation_call.h"

#include <utility>

#include "text/prompt.h"

namespace ocelli::api {

Error AtPromptField(Error error, std::string_view prompt_field) {
  if (error.param == "prompt" || error.param == "messages") error.param = prompt_field;
  return error;
}

Result<GenerateRequest> MakeGenerateRequest(const GenerationCall& call,
                                            std::vector<std::shared_ptr<const Patches>> pictures,
                                            const Tokenizer& tokenizer) {
  std::vector<size_t> image_tokens;
  image_tokens.reserve(pictures.size());
  for (const auto& picture : pictures) image_tokens.push_back(picture->image_tokens);
  OCELLI_ASSIGN_OR_RETURN(const Prompt prompt,
                          ApplyChatTemplate(call.conversation.messages, call.chat_template));
  OCELLI_ASSIGN_OR_RETURN(TokenizedPrompt tokenized,
                          TokenizePrompt(tokenizer, prompt, image_tokens));
  GenerateRequest request;
  request.prompt_token_ids = std::move(tokenized.ids);
  request.pictures = std::move(pictures);
  request.params = call.params;
  if (EndsInReasoning(prompt)) request.reasoning_end_token_id = tokenizer.ControlToken(kThinkEnd);
  if (call.timeout) request.deadline = std::chrono::steady_clock::now() + *call.timeout;
  return request;
}

}  // namespace ocelli::api
