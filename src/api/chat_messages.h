#ifndef OCELLI_API_CHAT_MESSAGES_H_
#define OCELLI_API_CHAT_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "picture/enhance_options.h"
#include "text/chat_template.h"

namespace ocelli::api {

// Where one picture of a conversation comes from and how large it may become.
struct PictureReference {
  std::string url;  // a data URL, an http(s) or file URL, or a path, as it was sent; may be empty
  std::vector<std::byte> bytes;  // the encoded picture itself, where it was uploaded without a URL
  std::string uuid;              // the caller's name for it; alone: the picture sent before
  std::string param;             // where it stood: "messages[0].content[1]"
  enum class Detail { kAuto, kLow, kHigh };
  Detail detail = Detail::kAuto;
  uint64_t min_pixels = 0;  // 0: not asked
  uint64_t max_pixels = 0;
  std::optional<EnhanceOptions> enhance;  // made easier to read first
};

// A conversation as the template takes it, with its pictures in the order of their parts.
struct Conversation {
  std::vector<ChatMessage> messages;
  std::vector<PictureReference> pictures;
};

// Parses a JSON list of messages in the OpenAI form. Text parts: {"type": "text" or "input_text",
// "text"}; picture parts: {"type": "image_url", "image_url": URL or {"url", "detail"}},
// {"type": "image", "image": URL}, {"type": "input_image", "image_url": URL}, each with optional
// "detail", "min_pixels", "max_pixels", "enhance" and "uuid"; a part with a uuid needs no URL.
// `content` is a string, a list or null; an assistant's `reasoning_content` (or `reasoning`) is
// kept beside it. Strings are moved out of `messages`, never copied: pictures are large.
// **Errors**: kInvalidArgument, param = "messages[i].content[j]"; kUnsupported for part types that
// are known but not read. An unknown part is an error, never left out.
Result<Conversation> ParseConversation(nlohmann::ordered_json messages);

// Parses one message, which stands at `param`, and appends it. **Errors**: as above, under `param`.
Status ParseMessage(nlohmann::ordered_json&& message, const std::string& param,
                    Conversation& conversation);

// Parses one part of a message's content, which stands at `param`, into `message`, and appends its
// picture. **Errors**: as above.
Status ParsePart(nlohmann::ordered_json&& part, const std::string& param, ChatMessage& message,
                 std::vector<PictureReference>& pictures);

// Parses the content of a message (a string, a list of parts or null), which stands at `param`,
// into `message`, and appends its pictures. **Errors**: as above.
Status ParseContent(nlohmann::ordered_json&& content, const std::string& param,
                    ChatMessage& message, std::vector<PictureReference>& pictures);

// Parses `text` first: at most 64 levels deep, valid UTF-8 (a byte-order mark is skipped).
// **Errors**: kInvalidArgument naming the byte.
Result<Conversation> ParseConversationText(std::string_view text);

}  // namespace ocelli::api

#endif  // OCELLI_API_CHAT_MESSAGES_H_
