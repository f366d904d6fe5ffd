#include "text/chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "text/python_json.h"

namespace ocelli {
namespace {

constexpr std::string_view kImStart = "<|im_start|>";
constexpr std::string_view kImEnd = "<|im_end|>";
constexpr std::string_view kToolCall = "<tool_call>";
constexpr std::string_view kToolCallEnd = "</tool_call>";
constexpr std::string_view kToolResponse = "<tool_response>";
constexpr std::string_view kToolResponseEnd = "</tool_response>";

enum class Role { kSystem, kUser, kAssistant, kTool };

std::optional<Role> ParseRole(std::string_view role) {
  if (role == "system" || role == "developer") return Role::kSystem;
  if (role == "user") return Role::kUser;
  if (role == "assistant") return Role::kAssistant;
  if (role == "tool") return Role::kTool;
  return std::nullopt;
}

bool MayHavePictures(Role role) { return role == Role::kUser || role == Role::kTool; }

Error InvalidAt(std::string where, std::string message) {
  return {ErrorCode::kInvalidArgument, fmt::format("{}: {}", where, message), std::move(where)};
}

Status CheckPart(const ContentPart& part, Role role, const std::string& where) {
  if (part.type == ContentPart::Type::kVideo) {
    return Error{ErrorCode::kUnsupported,
                 fmt::format("{}: video is not supported; send pictures of it instead", where),
                 where};
  }
  if (part.type == ContentPart::Type::kImage && !MayHavePictures(role)) {
    return InvalidAt(where, "only user and tool messages can have pictures");
  }
  return {};
}

Status CheckMessage(const ChatMessage& message, size_t index) {
  const std::optional<Role> role = ParseRole(message.role);
  if (!role) {
    return InvalidAt(fmt::format("messages[{}].role", index),
                     "the role must be system, developer, user, assistant or tool");
  }
  for (size_t i = 0; i < message.content.size(); ++i) {
    OCELLI_RETURN_IF_ERROR(
        CheckPart(message.content[i], *role, fmt::format("messages[{}].content[{}]", index, i)));
  }
  if (!message.tool_calls.empty() && *role != Role::kAssistant) {
    return InvalidAt(fmt::format("messages[{}].tool_calls", index),
                     "only assistant messages can have tool calls");
  }
  return {};
}

Status CheckMessages(std::span<const ChatMessage> messages) {
  if (messages.empty()) return InvalidAt("messages", "at least one message is needed");
  for (size_t i = 0; i < messages.size(); ++i) {
    OCELLI_RETURN_IF_ERROR(CheckMessage(messages[i], i));
  }
  return {};
}

// Checks that the last of the checked `messages` can be left open.
Status CheckContinuation(std::span<const ChatMessage> messages,
                         const ChatTemplateOptions& options) {
  if (!options.continue_final_message) return {};
  if (options.add_generation_prompt) {
    return InvalidAt("continue_final_message", "needs add_generation_prompt to be false");
  }
  const ChatMessage& last = messages.back();
  if (ParseRole(last.role) != Role::kAssistant || !last.tool_calls.empty()) {
    return InvalidAt("continue_final_message",
                     "the last message must be the assistant's, without tool calls");
  }
  return {};
}

std::string_view WithoutLeadingBreaks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string_view WithoutBreaks(std::string_view text) {
  return WithoutLeadingBreaks(text.substr(0, text.find_last_not_of('\n') + 1));
}

// Returns the text of `message`, each picture as something that no marker is.
std::string TextOf(const ChatMessage& message) {
  std::string text;
  for (const ContentPart& part : message.content) {
    text += part.type == ContentPart::Type::kText ? part.text : " ";
  }
  return text;
}

// An assistant's message taken apart.
struct ThoughtAnswer {
  std::string reasoning;
  std::string content;
};

ThoughtAnswer TakeApart(const ChatMessage& message) {
  ThoughtAnswer answer{message.reasoning.value_or(""), TextOf(message)};
  const std::string_view whole = answer.content;
  const size_t end = whole.find(kThinkEnd);
  if (message.reasoning || end == whole.npos) return answer;
  std::string_view reasoning = whole.substr(0, end);
  if (const size_t start = reasoning.rfind(kThink); start != reasoning.npos) {
    reasoning.remove_prefix(start + kThink.size());
  }
  const size_t rest = whole.rfind(kThinkEnd) + kThinkEnd.size();
  return {std::string(WithoutBreaks(reasoning)),
          std::string(WithoutLeadingBreaks(whole.substr(rest)))};
}

// Returns the index of the last question: a user's message that is no tool's response written out.
// Without one, no message counts as after it.
size_t LastQuestion(std::span<const ChatMessage> messages) {
  for (size_t i = messages.size(); i-- > 0;) {
    if (ParseRole(messages[i].role) != Role::kUser) continue;
    const std::string text = TextOf(messages[i]);
    if (!text.starts_with(kToolResponse) || !text.ends_with(kToolResponseEnd)) return i;
  }
  return messages.size();
}

// Writes checked messages, one method for each kind of block in the template.
class TemplateWriter {
 public:
  TemplateWriter(std::span<const ChatMessage> messages, const ChatTemplateOptions& options)
      : messages_(messages),
        options_(options),
        last_question_(options.thinking ? LastQuestion(messages) : messages.size()) {}

  // The first system message with the tools that the assistant may call.
  void WriteToolsBlock(std::span<const std::string> python_tools) {
    OpenTurn("system");
    if (RoleOf(0) == Role::kSystem) {
      WriteContent(messages_[0]);
      prompt_.AddText("\n\n");
    }
    prompt_.AddText(
        "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n<tools>");
    for (const std::string& tool : python_tools) {
      prompt_.AddText("\n");
      prompt_.AddText(tool);
    }
    prompt_.AddText(
        "\n</tools>\n\nFor each function call, return a json object with function name and "
        "arguments within ");
    prompt_.AddControl(kToolCall);
    prompt_.AddControl(kToolCallEnd);
    prompt_.AddText(" XML tags:\n");
    prompt_.AddControl(kToolCall);
    prompt_.AddText("\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n");
    prompt_.AddControl(kToolCallEnd);
    CloseTurn();
  }

  void WriteMessage(size_t index) {
    switch (RoleOf(index)) {
      case Role::kSystem:
        return WriteTurn("system", messages_[index]);
      case Role::kUser:
        return WriteTurn("user", messages_[index]);
      case Role::kAssistant:
        return WriteAssistant(index);
      case Role::kTool:
        return WriteToolResponse(index);
    }
  }

  // What the model goes on with.
  void OpenAnswer() {
    OpenTurn("assistant");
    if (options_.thinking) OpenReasoning();
  }

  Prompt Take() && { return std::move(prompt_); }

 private:
  void OpenTurn(std::string_view role) {
    prompt_.AddControl(kImStart);
    prompt_.AddText(role);
    prompt_.AddText("\n");
  }

  Role RoleOf(size_t index) const { return *ParseRole(messages_[index].role); }

  bool IsOpen(size_t index) const {
    return options_.continue_final_message && index + 1 == messages_.size();
  }

  bool IsTool(size_t index) const {
    return index < messages_.size() && RoleOf(index) == Role::kTool;
  }

  void CloseTurn() {
    prompt_.AddControl(kImEnd);
    prompt_.AddText("\n");
  }

  void WriteContent(const ChatMessage& message) {
    for (const ContentPart& part : message.content) {
      if (part.type == ContentPart::Type::kText) {
        prompt_.AddText(part.text);
      } else {
        WritePicture();
      }
    }
  }

  void WritePicture() {
    if (options_.add_vision_id)
      prompt_.AddText(fmt::format("Picture {}: ", prompt_.num_pictures() + 1));
    prompt_.AddPicture();
  }

  void WriteTurn(std::string_view role, const ChatMessage& message) {
    OpenTurn(role);
    WriteContent(message);
    CloseTurn();
  }

  // A message that is left open ends with its text: there the model goes on.
  void WriteAssistant(size_t index) {
    const ChatMessage& message = messages_[index];
    OpenTurn("assistant");
    bool has_content = !message.content.empty();
    if (options_.thinking) {
      const ThoughtAnswer answer = TakeApart(message);
      WriteThoughtAnswer(answer, index);
      has_content = !answer.content.empty();
    } else {
      WriteContent(message);
    }
    if (IsOpen(index)) return;
    for (size_t i = 0; i < message.tool_calls.size(); ++i) {
      if (i > 0 || has_content) prompt_.AddText("\n");
      WriteToolCall(message.tool_calls[i]);
    }
    CloseTurn();
  }

  void WriteThoughtAnswer(const ThoughtAnswer& answer, size_t index) {
    const bool is_last = index + 1 == messages_.size();
    if (index <= last_question_ || (answer.reasoning.empty() && !is_last)) {
      return prompt_.AddText(answer.content);
    }
    OpenReasoning();
    prompt_.AddText(WithoutBreaks(answer.reasoning));
    if (IsOpen(index) && answer.content.empty() && !answer.reasoning.empty()) return;
    prompt_.AddText("\n");
    prompt_.AddControl(kThinkEnd);
    prompt_.AddText("\n\n");
    prompt_.AddText(WithoutLeadingBreaks(answer.content));
  }

  void OpenReasoning() {
    prompt_.AddControl(kThink);
    prompt_.AddText("\n");
  }

  void WriteToolCall(const ToolCall& call) {
    prompt_.AddControl(kToolCall);
    prompt_.AddText(
        fmt::format("\n{{\"name\": \"{}\", \"arguments\": {}}}\n", call.name, call.arguments));
    prompt_.AddControl(kToolCallEnd);
  }

  // Tool messages in a row share one user turn.
  void WriteToolResponse(size_t index) {
    if (index == 0 || !IsTool(index - 1)) {
      prompt_.AddControl(kImStart);
      prompt_.AddText("user");
    }
    prompt_.AddText("\n");
    prompt_.AddControl(kToolResponse);
    prompt_.AddText("\n");
    WriteContent(messages_[index]);
    prompt_.AddText("\n");
    prompt_.AddControl(kToolResponseEnd);
    if (!IsTool(index + 1)) CloseTurn();
  }

  std::span<const ChatMessage> messages_;
  const ChatTemplateOptions& options_;
  size_t last_question_;
  Prompt prompt_;
};

Result<std::vector<std::string>> ToPythonTools(std::span<const std::string> tools) {
  std::vector<std::string> python_tools;
  for (size_t i = 0; i < tools.size(); ++i) {
    Result<std::string> tool = ToPythonJson(tools[i]);
    if (!tool.ok()) return InvalidAt(fmt::format("tools[{}]", i), tool.error().message);
    python_tools.push_back(std::move(tool).value());
  }
  return python_tools;
}

}  // namespace

Result<Prompt> ApplyChatTemplate(std::span<const ChatMessage> messages,
                                 const ChatTemplateOptions& options) {
  OCELLI_RETURN_IF_ERROR(CheckMessages(messages));
  OCELLI_RETURN_IF_ERROR(CheckContinuation(messages, options));
  OCELLI_ASSIGN_OR_RETURN(const std::vector<std::string> tools, ToPythonTools(options.tools));
  TemplateWriter writer(messages, options);
  size_t next = 0;
  if (!tools.empty()) {
    writer.WriteToolsBlock(tools);
    if (ParseRole(messages[0].role) == Role::kSystem) next = 1;
  }
  for (; next < messages.size(); ++next) writer.WriteMessage(next);
  if (options.add_generation_prompt) writer.OpenAnswer();
  return std::move(writer).Take();
}

bool EndsInReasoning(const Prompt& prompt) {
  const std::vector<PromptPiece>& pieces = prompt.pieces();
  const auto last = std::find_if(pieces.rbegin(), pieces.rend(), [](const PromptPiece& piece) {
    return std::holds_alternative<PromptControl>(piece);
  });
  return last != pieces.rend() && std::get<PromptControl>(*last).content == kThink;
}

}  // namespace ocelli
