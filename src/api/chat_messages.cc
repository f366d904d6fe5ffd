#include "api/chat_messages.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/enhance_field.h"
#include "api/request_fields.h"
#include "base/json.h"
#include "base/quoted.h"
#include "text/python_json.h"

namespace ocelli::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxUuidBytes = 128;

Error Invalid(const std::string& param, std::string message) {
  return Error{ErrorCode::kInvalidArgument, fmt::format("{}: {}", param, message), param};
}

// Moves the string under `key` out, an error when it is missing or something else.
Result<std::string> TakeString(Json& object, const char* key, const std::string& param) {
  const auto found = object.find(key);
  if (found == object.end()) return Invalid(param, fmt::format("'{}' is missing", key));
  if (!found->is_string()) {
    return Invalid(param,
                   fmt::format("'{}' is {}, it must be a string", key, JsonTypeName(*found)));
  }
  return std::move(found->get_ref<std::string&>());
}

// Returns an option of a picture part: it may stand in `part` or in `inner`, the object of its URL,
// which wins. Null where neither has it.
const Json& OptionOf(const Json& part, const Json& inner, const char* key) {
  static const Json kAbsent;
  if (const auto found = inner.find(key); found != inner.end()) return *found;
  const auto found = part.find(key);
  return found == part.end() ? kAbsent : *found;
}

Result<uint64_t> ParsePixels(const Json& value, const char* key, const std::string& param) {
  if (value.is_null()) return uint64_t{0};
  const std::optional<int64_t> pixels = WholeNumber(value);
  if (pixels && *pixels > 0) return static_cast<uint64_t>(*pixels);
  return Invalid(param, fmt::format("'{}' is {}, it must be a whole number above 0", key,
                                    DescribeValue(value)));
}

Result<PictureReference::Detail> ParseDetail(const Json& value, const std::string& param) {
  using Detail = PictureReference::Detail;
  if (value.is_null() || value == "auto") return Detail::kAuto;
  if (value == "low") return Detail::kLow;
  if (value == "high" || value == "original") return Detail::kHigh;
  return Invalid(param, fmt::format("'detail' is {}, it must be auto, low, high or original",
                                    DescribeValue(value)));
}

Status ParsePixelRange(const Json& part, const Json& inner, PictureReference& picture) {
  OCELLI_ASSIGN_OR_RETURN(picture.min_pixels, ParsePixels(OptionOf(part, inner, "min_pixels"),
                                                          "min_pixels", picture.param));
  OCELLI_ASSIGN_OR_RETURN(picture.max_pixels, ParsePixels(OptionOf(part, inner, "max_pixels"),
                                                          "max_pixels", picture.param));
  if (picture.max_pixels == 0 || picture.min_pixels <= picture.max_pixels) return {};
  return Invalid(picture.param, fmt::format("'min_pixels' is {} and 'max_pixels' is {}; no size "
                                            "fits between them",
                                            picture.min_pixels, picture.max_pixels));
}

Result<std::string> ParseUuid(const Json& value, const std::string& param) {
  if (value.is_null()) return std::string();
  if (value.is_string()) {
    auto uuid = value.get<std::string>();
    if (!uuid.empty() && uuid.size() <= kMaxUuidBytes) return uuid;
  }
  return Invalid(param, fmt::format("'uuid' must be a string of 1 to {} bytes", kMaxUuidBytes));
}

// The URL of a picture part stands under `key`, as a string or as {"url": ..., "detail": ...}.
// Null, {} and nothing at all are no URL, which a picture sent before (by its uuid) may have.
Result<std::string> TakeUrl(Json& part, const char* key, const std::string& param) {
  const auto found = part.find(key);
  if (found == part.end() || found->is_null()) return std::string();
  if (!found->is_object()) return TakeString(part, key, param);
  const auto url = found->find("url");
  if (url == found->end() || url->is_null()) return std::string();
  return TakeString(*found, "url", param);
}

// OpenAI's clients can name a picture that they uploaded; there are no uploads here.
Status RefuseFileId(const Json& part, const std::string& param) {
  const auto found = part.find("file_id");
  if (found == part.end() || found->is_null()) return {};
  return Error{ErrorCode::kUnsupported,
               fmt::format("{}: 'file_id' is not supported, no files are kept here; send the "
                           "picture as a data URL, data:image/png;base64,...",
                           param),
               param};
}

Result<PictureReference> ParsePicture(Json& part, const char* key, const std::string& param) {
  static const Json kNone = Json::object();
  const auto found = part.find(key);
  const Json& inner = found != part.end() && found->is_object() ? *found : kNone;
  OCELLI_RETURN_IF_ERROR(RefuseFileId(part, param));
  PictureReference picture;
  picture.param = param;
  OCELLI_ASSIGN_OR_RETURN(picture.uuid, ParseUuid(OptionOf(part, inner, "uuid"), param));
  OCELLI_ASSIGN_OR_RETURN(picture.url, TakeUrl(part, key, param));
  if (picture.url.empty() && picture.uuid.empty()) {
    return Invalid(param, fmt::format("'{}' has no URL, and no 'uuid' names a picture", key));
  }
  OCELLI_ASSIGN_OR_RETURN(picture.detail, ParseDetail(OptionOf(part, inner, "detail"), param));
  OCELLI_RETURN_IF_ERROR(ParsePixelRange(part, inner, picture));
  OCELLI_ASSIGN_OR_RETURN(picture.enhance, ParseEnhance(OptionOf(part, inner, "enhance"), param));
  return picture;
}

// Returns the field that holds the picture of a part of this type, or null for other types.
const char* PictureKey(std::string_view type) {
  if (type == "image_url" || type == "input_image") return "image_url";
  if (type == "image") return "image";
  return nullptr;
}

Error UnknownPart(const std::string& type, const std::string& param) {
  const bool known = type == "video" || type == "video_url" || type == "input_audio" ||
                     type == "file" || type == "input_file" || type == "refusal" ||
                     type == "binary" || type == "computer_screenshot";
  return Error{
      known ? ErrorCode::kUnsupported : ErrorCode::kInvalidArgument,
      fmt::format("{}: parts of type {} are not read; use text, image_url, image or input_image",
                  param, Quoted(type)),
      param};
}

Result<ToolCall> ParseToolCall(Json& call, const std::string& param) {
  if (!call.is_object() || !call.contains("function") || !call["function"].is_object()) {
    return Invalid(param, "must be an object with a 'function' object");
  }
  Json& function = call["function"];
  ToolCall result;
  OCELLI_ASSIGN_OR_RETURN(result.name, TakeString(function, "name", param));
  const auto arguments = function.find("arguments");
  if (arguments == function.end()) return Invalid(param, "'function.arguments' is missing");
  if (arguments->is_string()) {
    result.arguments = std::move(arguments->get_ref<std::string&>());
  } else {
    OCELLI_ASSIGN_OR_RETURN(result.arguments, ToPythonJson(arguments->dump()));
  }
  return result;
}

Status ParseToolCalls(Json& message, const std::string& param, std::vector<ToolCall>& calls) {
  const auto found = message.find("tool_calls");
  if (found == message.end() || found->is_null()) return {};
  if (!found->is_array()) return Invalid(param + ".tool_calls", "must be a list");
  for (size_t j = 0; j < found->size(); ++j) {
    OCELLI_ASSIGN_OR_RETURN(ToolCall call,
                            ParseToolCall((*found)[j], fmt::format("{}.tool_calls[{}]", param, j)));
    calls.push_back(std::move(call));
  }
  return {};
}

// Moves the reasoning of an assistant's message out, which servers send as "reasoning_content",
// some as "reasoning". What is no string is no reasoning, as the template has it.
std::optional<std::string> TakeReasoning(Json& message) {
  for (const char* key : {"reasoning_content", "reasoning"}) {
    const auto found = message.find(key);
    if (found != message.end() && found->is_string()) {
      return std::move(found->get_ref<std::string&>());
    }
  }
  return std::nullopt;
}

// Things of a message that would change what the model reads and are not rendered.
Status RefuseUnreadFields(const Json& message, const std::string& param) {
  for (const char* key : {"function_call", "audio"}) {
    const auto found = message.find(key);
    if (found == message.end() || found->is_null()) continue;
    return Error{ErrorCode::kUnsupported, fmt::format("{}: '{}' is not supported", param, key),
                 fmt::format("{}.{}", param, key)};
  }
  return {};
}

}  // namespace

Status ParsePart(Json&& part, const std::string& param, ChatMessage& message,
                 std::vector<PictureReference>& pictures) {
  if (!part.is_object()) {
    return Invalid(param,
                   fmt::format("is {}, it must be an object with a 'type'", JsonTypeName(part)));
  }
  OCELLI_ASSIGN_OR_RETURN(const std::string type, TakeString(part, "type", param));
  if (type == "text" || type == "input_text" || type == "output_text") {
    OCELLI_ASSIGN_OR_RETURN(std::string text, TakeString(part, "text", param));
    message.content.push_back(ContentPart::Text(std::move(text)));
    return {};
  }
  const char* key = PictureKey(type);
  if (key == nullptr) return UnknownPart(type, param);
  OCELLI_ASSIGN_OR_RETURN(PictureReference picture, ParsePicture(part, key, param));
  message.content.push_back(ContentPart::Image());
  pictures.push_back(std::move(picture));
  return {};
}

Status ParseContent(Json&& content, const std::string& param, ChatMessage& message,
                    std::vector<PictureReference>& pictures) {
  if (content.is_null()) return {};
  if (content.is_string()) {
    if (auto& text = content.get_ref<std::string&>(); !text.empty()) {
      message.content.push_back(ContentPart::Text(std::move(text)));
    }
    return {};
  }
  if (!content.is_array()) {
    return Invalid(param, fmt::format("is {}, it must be a string, a list of parts or null",
                                      JsonTypeName(content)));
  }
  for (size_t j = 0; j < content.size(); ++j) {
    OCELLI_RETURN_IF_ERROR(
        ParsePart(std::move(content[j]), fmt::format("{}[{}]", param, j), message, pictures));
  }
  return {};
}

Status ParseMessage(Json&& message, const std::string& param, Conversation& conversation) {
  if (!message.is_object()) {
    return Invalid(param,
                   fmt::format("is {}, it must be an object with a 'role'", JsonTypeName(message)));
  }
  ChatMessage parsed;
  OCELLI_ASSIGN_OR_RETURN(parsed.role, TakeString(message, "role", param));
  if (const auto content = message.find("content"); content != message.end()) {
    OCELLI_RETURN_IF_ERROR(
        ParseContent(std::move(*content), param + ".content", parsed, conversation.pictures));
  } else if (parsed.role != "assistant") {
    return Invalid(param, "'content' is missing");
  }
  if (parsed.role == "assistant") parsed.reasoning = TakeReasoning(message);
  OCELLI_RETURN_IF_ERROR(ParseToolCalls(message, param, parsed.tool_calls));
  OCELLI_RETURN_IF_ERROR(RefuseUnreadFields(message, param));
  conversation.messages.push_back(std::move(parsed));
  return {};
}

Result<Conversation> ParseConversation(Json messages) {
  if (!messages.is_array()) {
    return Invalid("messages",
                   fmt::format("is {}, it must be a list of messages", JsonTypeName(messages)));
  }
  if (messages.empty()) return Invalid("messages", "the list is empty");
  Conversation conversation;
  for (size_t i = 0; i < messages.size(); ++i) {
    OCELLI_RETURN_IF_ERROR(
        ParseMessage(std::move(messages[i]), fmt::format("messages[{}]", i), conversation));
  }
  return conversation;
}

Result<Conversation> ParseConversationText(std::string_view text) {
  Result<Json> messages = ParseOrderedJson(text);
  if (messages.ok()) return ParseConversation(std::move(messages).value());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("not valid JSON in UTF-8: {}", messages.error().message), ""};
}

}  // namespace ocelli::api
