#include "cli/ask_input.h"

#include <fmt/format.h>

#include <climits>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <span>
#include <utility>

#include "api/data_url.h"
#include "api/percent_encoding.h"
#include "api/picture_budget.h"
#include "base/file.h"
#include "picture/decode.h"

namespace ocelli::cli {
namespace {

constexpr size_t kMaxMessagesBytes = size_t{256} << 20;  // pictures travel inside as base64
constexpr std::string_view kFileScheme = "file://";
constexpr std::string_view kLocalHost = "localhost/";

Result<std::string> ReadStandardInput() {
  std::string text;
  std::string buffer(size_t{64} << 10, '\0');
  while (std::cin.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         std::cin.gcount() > 0) {
    text.append(buffer, 0, static_cast<size_t>(std::cin.gcount()));
    if (text.size() > kMaxMessagesBytes) {
      return Error{ErrorCode::kTooLarge,
                   fmt::format("standard input has more than {} bytes, which is the limit",
                               kMaxMessagesBytes),
                   "messages"};
    }
  }
  return text;
}

// Returns the path that a path or a file URL names.
std::filesystem::path PicturePath(std::string_view url) {
  if (!url.starts_with(kFileScheme)) return url;
  url.remove_prefix(kFileScheme.size());
  if (url.starts_with(kLocalHost)) url.remove_prefix(kLocalHost.size() - 1);
  return api::PercentDecoded(url);
}

Result<std::vector<std::byte>> ReadPictureBytes(const api::PictureReference& picture,
                                                size_t limit_bytes) {
  if (picture.url.empty()) {
    return Error{
        ErrorCode::kInvalidArgument,
        "a 'uuid' alone names a picture that a server was sent before, and nothing is kept "
        "here: give the picture's path or a data URL",
        ""};
  }
  if (api::IsDataUrl(picture.url)) return api::DecodeDataUrl(picture.url, limit_bytes);
  if (picture.url.starts_with("http://") || picture.url.starts_with("https://")) {
    return Error{ErrorCode::kUnsupported,
                 "pictures are not fetched from the network here: download it and give its path",
                 ""};
  }
  const std::filesystem::path path = PicturePath(picture.url);
  if (path.native().size() >= PATH_MAX) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} characters are no path; bytes travel as a data URL, "
                             "data:image/png;base64,...",
                             path.native().size()),
                 ""};
  }
  OCELLI_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, limit_bytes));
  const auto bytes = std::as_bytes(std::span(text));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

Result<std::shared_ptr<const Patches>> LoadUnnamed(const api::PictureReference& picture,
                                                   const DecodeLimits& limits,
                                                   const ProcessorOptions& processor,
                                                   const PictureOptions& defaults, ThreadPool& pool,
                                                   const EnhancedSink& seen) {
  OCELLI_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes,
                          ReadPictureBytes(picture, limits.max_encoded_bytes));
  OCELLI_ASSIGN_OR_RETURN(RgbImage image, DecodePicture(bytes, limits));
  const PictureOptions options = api::PictureBudget(picture, defaults);
  if (!picture.enhance) {
    OCELLI_ASSIGN_OR_RETURN(Patches patches, PreparePicture(image, processor, options, pool));
    return std::make_shared<const Patches>(std::move(patches));
  }
  OCELLI_ASSIGN_OR_RETURN(const EnhancedImage enhanced,
                          EnhancePicture(std::move(image), *picture.enhance));
  if (seen) OCELLI_RETURN_IF_ERROR(seen(enhanced.image));
  OCELLI_ASSIGN_OR_RETURN(Patches patches,
                          PrepareEnhancedPicture(enhanced, processor, options, pool));
  return std::make_shared<const Patches>(std::move(patches));
}

}  // namespace

Result<api::Conversation> ConversationFromArguments(std::vector<std::string> arguments,
                                                    std::string_view question) {
  if (!question.empty()) arguments.emplace_back(question);
  if (arguments.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "nothing to ask: ocelli ask PICTURE... \"QUESTION\", or --messages FILE",
                 "question"};
  }
  std::error_code ignored;
  if (std::filesystem::exists(arguments.back(), ignored)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} is a file, and no question follows it: ocelli ask PICTURE... \"QUESTION\"",
                    arguments.back()),
        "question"};
  }
  api::Conversation conversation;
  ChatMessage message;
  message.role = "user";
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    api::PictureReference picture;
    picture.url = arguments[i];
    picture.param = fmt::format("picture {}", i + 1);
    conversation.pictures.push_back(std::move(picture));
    message.content.push_back(ContentPart::Image());
  }
  message.content.push_back(ContentPart::Text(arguments.back()));
  conversation.messages.push_back(std::move(message));
  return conversation;
}

Result<api::Conversation> ConversationFromFile(const std::string& path) {
  auto text = path == "-" ? ReadStandardInput() : ReadFile(path, kMaxMessagesBytes);
  if (!text.ok()) return std::move(text).error();
  auto conversation = api::ParseConversationText(*text);
  if (!conversation.ok())
    return conversation.error().WithContext(path == "-" ? "standard input" : path);
  return conversation;
}

std::string PictureName(const api::PictureReference& picture) {
  if (picture.url.empty()) return "no URL";
  if (api::IsDataUrl(picture.url)) return "data URL";
  return picture.url.size() < PATH_MAX ? picture.url : "no path";
}

Result<std::shared_ptr<const Patches>> LoadPicture(const api::PictureReference& picture,
                                                   const DecodeLimits& limits,
                                                   const ProcessorOptions& processor,
                                                   const PictureOptions& defaults, ThreadPool& pool,
                                                   const EnhancedSink& seen) {
  auto patches = LoadUnnamed(picture, limits, processor, defaults, pool, seen);
  if (patches.ok()) return patches;
  Error error =
      patches.error().WithContext(fmt::format("{} ({})", picture.param, PictureName(picture)));
  error.param = picture.param;
  return error;
}

}  // namespace ocelli::cli
