#ifndef OCELLI_TEXT_CHAT_TEMPLATE_H_
#define OCELLI_TEXT_CHAT_TEMPLATE_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/prompt.h"

namespace ocelli {

// One part of a message. The pixels of a picture live elsewhere: pictures are counted in the order
// in which their parts appear over all messages.
struct ContentPart {
  enum class Type { kText, kImage, kVideo };
  Type type = Type::kText;
  std::string text;  // of kText

  static ContentPart Text(std::string text) { return {Type::kText, std::move(text)}; }
  static ContentPart Image() { return {Type::kImage, {}}; }
};

// A function call that the assistant made in an earlier turn.
struct ToolCall {
  std::string name;
  std::string arguments;  // JSON text, shown as it is; a parsed object goes through ToPythonJson
};

struct ChatMessage {
  std::string role;                  // "system" (or "developer"), "user", "assistant", "tool"
  std::vector<ContentPart> content;  // a string is one kText part; "" and null are no parts
  std::vector<ToolCall> tool_calls;  // of the assistant
  // What the assistant thought before. Unset: it may stand in the content, before "</think>".
  std::optional<std::string> reasoning{};
};

struct ChatTemplateOptions {
  std::vector<std::string> tools;       // each the JSON text of one tool, in any spacing
  bool add_generation_prompt = true;    // end with the opening of the assistant's turn
  bool add_vision_id = false;           // write "Picture N: " before each picture
  bool continue_final_message = false;  // leave the last message open, for the model to go on with
  bool thinking = false;                // as the templates of the Thinking variants do
};

// Builds the prompt that the published Qwen3-VL chat template renders for `messages`. It differs
// only where that template silently leaves something out: a system message that is not the first is
// rendered in its place, and a picture in a system or assistant message is an error.
// With `thinking` the assistant's turn is opened with reasoning. Reasoning of earlier turns is left
// out up to the last question and kept from there on, between the steps of a tool's use. A message
// left open that has reasoning alone is left open inside it.
// **Errors**: kInvalidArgument for no messages, an unknown role, a picture or tool calls where the
// role cannot have them, a tool that is not JSON, a last message that cannot be continued (it must
// be the assistant's, without tool calls, and add_generation_prompt false); kUnsupported for video.
// `param` names the place: "messages[2].content[0]", "tools[1]".
// **Ref**: chat_template of Qwen/Qwen3-VL-2B-Instruct and, with `thinking`, -Thinking.
Result<Prompt> ApplyChatTemplate(std::span<const ChatMessage> messages,
                                 const ChatTemplateOptions& options);

// The control tokens around reasoning.
inline constexpr std::string_view kThink = "<think>";
inline constexpr std::string_view kThinkEnd = "</think>";

// Returns whether a model goes on with reasoning after `prompt`.
bool EndsInReasoning(const Prompt& prompt);

}  // namespace ocelli

#endif  // OCELLI_TEXT_CHAT_TEMPLATE_H_
