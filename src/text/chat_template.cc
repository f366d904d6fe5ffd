#include "text/chat_template.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

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

// Writes checked messages, one method for each kind of block in the template.
class TemplateWriter {
 public:
  TemplateWriter(std::span<const ChatMessage> messages, const ChatTemplateOptions& options)
      : messages_(messages), options_(options) {}

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
        return IsOpen(index) ? WriteOpenTurn(index) : WriteTurn("assistant", messages_[index]);
      case Role::kTool:
        return WriteToolResponse(index);
    }
  }

  void OpenTurn(std::string_view role) {
    prompt_.AddControl(kImStart);
    prompt_.AddText(role);
    prompt_.AddText("\n");
  }

  Prompt Take() && { return std::move(prompt_); }

 private:
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
    for (size_t i = 0; i < message.tool_calls.size(); ++i) {
      if (i > 0 || !message.content.empty()) prompt_.AddText("\n");
      WriteToolCall(message.tool_calls[i]);
    }
    CloseTurn();
  }

  // The end of the text is where the model goes on.
  void WriteOpenTurn(size_t index) {
    OpenTurn("assistant");
    WriteContent(messages_[index]);
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
  if (options.add_generation_prompt) writer.OpenTurn("assistant");
  return std::move(writer).Take();
}

}  // namespace ocelli
