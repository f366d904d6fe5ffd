#include "api/responses_input.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "api/request_fields.h"
#include "base/json.h"
#include "base/quoted.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxTypeBytes = 64;
constexpr size_t kMaxNameBytes = 256;

Error Invalid(const std::string& param, std::string_view message) {
  return Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", param, message), param};
}

void AddMessage(ChatMessage message, const std::string& param, ResponsesInput& result) {
  result.conversation.messages.push_back(std::move(message));
  result.sources.push_back(param);
}

// Moves the text of a reasoning item out: its parts of type reasoning_text. One that is encrypted
// or summarised has none.
std::string TakeReasoning(Json& item) {
  std::string reasoning;
  Json content = TakeField(item, "content");
  if (!content.is_array()) return reasoning;
  for (Json& part : content) {
    if (!part.is_object() || part.value("type", Json()) != "reasoning_text") continue;
    const auto text = part.find("text");
    if (text != part.end() && text->is_string()) reasoning += text->get_ref<std::string&>();
  }
  return reasoning;
}

// Gives reasoning to the message that came after it, where that is the assistant's.
void GiveReasoning(std::string reasoning, ResponsesInput& result) {
  ChatMessage& message = result.conversation.messages.back();
  if (reasoning.empty() || message.role != "assistant" || message.reasoning) return;
  message.reasoning = std::move(reasoning);
}

Status ParseFunctionCall(const RequestFields& fields, const std::string& param,
                         ResponsesInput& result) {
  OCELLI_ASSIGN_OR_RETURN(auto name, fields.String("name", 1, kMaxNameBytes));
  OCELLI_ASSIGN_OR_RETURN(auto arguments, fields.String("arguments", 0, SIZE_MAX));
  if (!name || !arguments) {
    return Invalid(param, "a function_call needs 'name' and 'arguments'");
  }
  std::vector<ChatMessage>& messages = result.conversation.messages;
  if (messages.empty() || messages.back().role != "assistant") {
    AddMessage(ChatMessage{"assistant", {}, {}}, param, result);
  }
  messages.back().tool_calls.push_back({*std::move(name), *std::move(arguments)});
  return {};
}

Status ParseFunctionOutput(Json& item, const std::string& param, ResponsesInput& result) {
  Json output = TakeField(item, "output");
  if (output.is_null()) return Invalid(param, "a function_call_output needs 'output'");
  ChatMessage message;
  message.role = "tool";
  OCELLI_RETURN_IF_ERROR(
      ParseContent(std::move(output), param + ".output", message, result.conversation.pictures));
  AddMessage(std::move(message), param, result);
  return {};
}

Error UnknownItem(const std::string& type, const std::string& param) {
  return Error{ErrorCode::kUnsupported,
               fmt::format("{}: items of type {} are not read; use message, function_call or "
                           "function_call_output",
                           param, Quoted(type)),
               param};
}

// `reasoning` waits for the item that it belongs to.
Status ParseItem(Json& item, const std::string& param, std::string& reasoning,
                 ResponsesInput& result) {
  if (!item.is_object()) {
    return Invalid(param, fmt::format("is {}, it must be an object", JsonTypeName(item)));
  }
  const RequestFields fields(item, param + ".");
  OCELLI_ASSIGN_OR_RETURN(const auto type, fields.String("type", 0, kMaxTypeBytes));
  if (!type || *type == "message") {
    OCELLI_RETURN_IF_ERROR(ParseMessage(std::move(item), param, result.conversation));
    result.sources.push_back(param);
  } else if (*type == "function_call") {
    OCELLI_RETURN_IF_ERROR(ParseFunctionCall(fields, param, result));
  } else if (*type == "function_call_output") {
    OCELLI_RETURN_IF_ERROR(ParseFunctionOutput(item, param, result));
  } else if (*type == "reasoning") {
    reasoning = TakeReasoning(item);
    return {};
  } else {
    return UnknownItem(*type, param);
  }
  GiveReasoning(std::exchange(reasoning, {}), result);
  return {};
}

}  // namespace

Status ParseResponsesInput(Json input, ResponsesInput& result) {
  if (input.is_string()) {
    ChatMessage message;
    message.role = "user";
    OCELLI_RETURN_IF_ERROR(
        ParseContent(std::move(input), "input", message, result.conversation.pictures));
    AddMessage(std::move(message), "input", result);
    return {};
  }
  if (!input.is_array()) {
    return Invalid(
        "input", fmt::format("is {}, it must be a string or a list of items", JsonTypeName(input)));
  }
  if (input.empty()) return Invalid("input", "the list is empty");
  std::string reasoning;
  for (size_t i = 0; i < input.size(); ++i) {
    OCELLI_RETURN_IF_ERROR(ParseItem(input[i], fmt::format("input[{}]", i), reasoning, result));
  }
  if (result.sources.empty()) return Invalid("input", "none of its items is a message");
  return {};
}

Error AtSource(Error error, const std::vector<std::string>& sources) {
  constexpr std::string_view kPrefix = "messages[";
  if (!error.param.starts_with(kPrefix)) return error;
  size_t index = 0;
  const char* end = error.param.data() + error.param.size();
  const auto [digits_end, fault] = std::from_chars(error.param.data() + kPrefix.size(), end, index);
  if (fault != std::errc() || index >= sources.size() || digits_end == end) return error;
  const std::string place = error.param.substr(
      0, static_cast<size_t>(digits_end + 1 - error.param.data()));  // "messages[2]"
  for (std::string* text : {&error.param, &error.message}) {
    if (text->starts_with(place)) text->replace(0, place.size(), sources[index]);
  }
  return error;
}

}  // namespace ocelli::api
