#include "api/conversation_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/models_list.h"
#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxModelBytes = 256;
constexpr double kMaxTimeoutSeconds = 86'400;

// What callers of other servers pass to the chat template. Only what the template of this model
// knows is accepted, and a switch that no template of Qwen3-VL has: Instruct models never reason,
// Thinking ones always do.
Status ReadTemplateArguments(const RequestFields& fields, ChatTemplateOptions& options) {
  OCELLI_ASSIGN_OR_RETURN(const Json* arguments, fields.Object("chat_template_kwargs"));
  if (arguments == nullptr) return {};
  const RequestFields inner(*arguments, "chat_template_kwargs.");
  for (const auto& [key, value] : arguments->items()) {
    if (key == "add_vision_id" || key == "enable_thinking") continue;
    return Error{ErrorCode::kUnsupported,
                 fmt::format("chat_template_kwargs has the key {}; the template knows "
                             "add_vision_id and enable_thinking",
                             Quoted(key)),
                 "chat_template_kwargs"};
  }
  OCELLI_ASSIGN_OR_RETURN(const auto add_vision_id, inner.Bool("add_vision_id"));
  options.add_vision_id = add_vision_id.value_or(false);
  return {};
}

// No token of the vocabulary has more bytes than this, so that longer prompts are refused before
// anybody tokenises them.
constexpr size_t kMaxTokenBytes = 256;

Status CheckTextSize(const GenerationCall& call, const RequestDefaults& defaults) {
  size_t text_bytes = 0;
  for (const ChatMessage& message : call.conversation.messages) {
    for (const ContentPart& part : message.content) text_bytes += part.text.size();
    text_bytes += message.reasoning.value_or("").size();
    for (const ToolCall& tool_call : message.tool_calls) {
      text_bytes += tool_call.name.size() + tool_call.arguments.size();
    }
  }
  if (text_bytes / kMaxTokenBytes <= defaults.max_context_tokens) return {};
  return Error{ErrorCode::kTooLarge,
               fmt::format("the prompt has {} bytes of text, more than the context of {} tokens "
                           "can hold; shorten it",
                           text_bytes, defaults.max_context_tokens),
               std::string(call.prompt_field)};
}

Status ReadTemplateOptions(const RequestFields& fields, ChatTemplateOptions& options) {
  OCELLI_RETURN_IF_ERROR(ReadTemplateArguments(fields, options));
  OCELLI_ASSIGN_OR_RETURN(const auto open, fields.Bool("continue_final_message"));
  options.continue_final_message = open.value_or(false);
  OCELLI_ASSIGN_OR_RETURN(const auto prompt, fields.Bool("add_generation_prompt"));
  options.add_generation_prompt = prompt.value_or(!options.continue_final_message);
  return {};
}

}  // namespace

Status ReadModel(const RequestFields& fields, const RequestDefaults& defaults,
                 GenerationCall& call) {
  call.chat_template.thinking = defaults.thinking;
  OCELLI_ASSIGN_OR_RETURN(auto model, fields.String("model", 0, kMaxModelBytes));
  if (!model || model->empty()) return {};
  call.model = *std::move(model);
  return CheckModelName(call.model, defaults.model_id);
}

Status ReadTimeout(const RequestFields& fields, GenerationCall& call) {
  OCELLI_ASSIGN_OR_RETURN(const auto seconds,
                          fields.Number("timeout_seconds", 0.001, kMaxTimeoutSeconds));
  if (seconds) call.timeout = std::chrono::milliseconds(static_cast<int64_t>(*seconds * 1000));
  return {};
}

Status ReadMessages(const RequestFields& fields, Json messages, const RequestDefaults& defaults,
                    GenerationCall& call) {
  OCELLI_RETURN_IF_ERROR(ReadTemplateOptions(fields, call.chat_template));
  if (messages.is_null()) {
    return Error{ErrorCode::kInvalidArgument, "messages is missing; it must be a list of messages",
                 "messages"};
  }
  OCELLI_ASSIGN_OR_RETURN(call.conversation, ParseConversation(std::move(messages)));
  return CheckConversation(call, defaults);
}

Status CheckConversation(const GenerationCall& call, const RequestDefaults& defaults) {
  const size_t num_pictures = call.conversation.pictures.size();
  if (num_pictures > defaults.max_pictures) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the request has {} pictures; at most {} are allowed", num_pictures,
                             defaults.max_pictures),
                 call.conversation.pictures[defaults.max_pictures].param};
  }
  OCELLI_RETURN_IF_ERROR(CheckTextSize(call, defaults));
  const auto prompt = ApplyChatTemplate(call.conversation.messages, call.chat_template);
  if (prompt.ok()) return {};
  return AtPromptField(prompt.error(), call.prompt_field);
}

}  // namespace ocelli::api
