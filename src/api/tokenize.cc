#include "api/tokenize.h"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "api/conversation_fields.h"
#include "api/reply.h"
#include "api/request_fields.h"
#include "api/sse.h"
#include "api/usage_json.h"
#include "text/prompt.h"
#include "text/utf8.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxTextBytes = size_t{16} << 20;

Json ReplyBase(const TokenizeRequest& request, std::span<const TokenId> ids,
               const RequestDefaults& defaults, const Tokenizer& tokenizer) {
  Json reply = {{"model", defaults.model_id},
                {"count", ids.size()},
                {"max_model_len", defaults.max_context_tokens},
                {"tokens", std::vector<TokenId>(ids.begin(), ids.end())}};
  if (request.return_token_strs) {
    Json strings = Json::array();
    for (const TokenId id : ids) strings.push_back(ReplaceInvalidUtf8(tokenizer.Bytes(id)));
    reply["token_strs"] = std::move(strings);
  }
  return reply;
}

// Reads the text of "prompt" or "text"; one of them may be set.
Status ReadText(const RequestFields& fields, TokenizeRequest& request) {
  for (const std::string_view key : {"prompt", "text"}) {
    OCELLI_ASSIGN_OR_RETURN(auto text, fields.String(key, 0, kMaxTextBytes));
    if (!text) continue;
    if (request.text) {
      return Error{ErrorCode::kInvalidArgument, "prompt and text are the same; send one of them",
                   "text"};
    }
    request.text = std::move(text);
  }
  return {};
}

}  // namespace

Result<TokenizeRequest> ParseTokenizeRequest(std::string_view body,
                                             const RequestDefaults& defaults) {
  OCELLI_ASSIGN_OR_RETURN(Json object, ParseRequestBody(body));
  const RequestFields fields(object);
  TokenizeRequest request;
  OCELLI_RETURN_IF_ERROR(ReadModel(fields, defaults, request.call));
  OCELLI_ASSIGN_OR_RETURN(const auto strings, fields.Bool("return_token_strs"));
  request.return_token_strs = strings.value_or(false);
  OCELLI_RETURN_IF_ERROR(ReadText(fields, request));
  Json messages = TakeField(object, "messages");
  const bool has_messages = !messages.is_null();
  if (request.text.has_value() == has_messages) {
    return Error{ErrorCode::kInvalidArgument,
                 "exactly one of messages, prompt and text must be there", "messages"};
  }
  if (!has_messages) return request;
  OCELLI_RETURN_IF_ERROR(ReadMessages(fields, std::move(messages), defaults, request.call));
  return request;
}

std::string TokenizeTextReply(const TokenizeRequest& request, const RequestDefaults& defaults,
                              const Tokenizer& tokenizer) {
  const std::vector<TokenId> ids = tokenizer.Encode(request.text.value_or(""));
  return JsonLine(ReplyBase(request, ids, defaults, tokenizer));
}

Result<std::string> TokenizeChatReply(const TokenizeRequest& request, const GenerateRequest& prompt,
                                      const RequestDefaults& defaults, const Tokenizer& tokenizer) {
  OCELLI_ASSIGN_OR_RETURN(
      const Prompt rendered,
      ApplyChatTemplate(request.call.conversation.messages, request.call.chat_template));
  Json reply = ReplyBase(request, prompt.prompt_token_ids, defaults, tokenizer);
  reply["prompt"] = Render(rendered);
  reply["pictures"] = PicturesJson(PictureUsesOf(prompt));
  return JsonLine(reply);
}

}  // namespace ocelli::api
