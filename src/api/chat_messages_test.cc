#include "api/chat_messages.h"

#include <string>

#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto conversation = ParseConversationText(text);
  return conversation.ok() ? "no error"
                           : conversation.error().param + " | " + conversation.error().message;
}

TEST(Conversation, KeepsTheOrderOfTextAndPicturesOverAllTurns) {
  const auto conversation = ParseConversationText(R"([
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "dog:"}, {"type": "image_url", "image_url": {"url": "data:a", "detail": "low"}},
                                 {"type": "text", "text": "cat:"}, {"type": "image", "image": "b.png", "max_pixels": 4096}]},
    {"role": "assistant", "content": null},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:c"}, {"type": "input_text", "text": "?"}]}])");
  ASSERT_TRUE(conversation.ok()) << conversation.error().message;
  ASSERT_EQ(conversation->messages.size(), 4u);
  const auto& parts = conversation->messages[1].content;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].text, "dog:");
  EXPECT_EQ(parts[1].type, ContentPart::Type::kImage);
  EXPECT_EQ(parts[2].text, "cat:");
  EXPECT_TRUE(conversation->messages[2].content.empty());
  ASSERT_EQ(conversation->pictures.size(), 3u);
  EXPECT_EQ(conversation->pictures[0].detail, PictureReference::Detail::kLow);
  EXPECT_EQ(conversation->pictures[1].url, "b.png");
  EXPECT_EQ(conversation->pictures[1].max_pixels, 4096u);
  EXPECT_EQ(conversation->pictures[1].param, "messages[1].content[3]");
  EXPECT_EQ(conversation->pictures[2].param, "messages[3].content[0]");
}

TEST(Conversation, ToolCallsKeepTextAndWriteObjectsAsTheTemplateDoes) {
  const auto conversation = ParseConversationText(R"([{"role": "assistant", "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
    {"id": "2", "type": "function", "function": {"name": "g", "arguments": {"a":1,"b":"你"}}}]}])");
  ASSERT_TRUE(conversation.ok()) << conversation.error().message;
  EXPECT_EQ(conversation->messages[0].tool_calls[0].arguments, "{\"a\":1}");
  EXPECT_EQ(conversation->messages[0].tool_calls[1].arguments, "{\"a\": 1, \"b\": \"你\"}");
}

TEST(Conversation, EveryRefusalNamesThePlace) {
  EXPECT_EQ(ErrorOf("{}").substr(0, 8), "messages");
  EXPECT_NE(ErrorOf("[]").find("empty"), std::string::npos);
  EXPECT_NE(
      ErrorOf(R"([{"role": "user"}])").find("messages[0] | messages[0]: 'content' is missing"),
      std::string::npos);
  EXPECT_NE(ErrorOf(R"([{"content": "x"}])").find("'role' is missing"), std::string::npos);
  EXPECT_NE(ErrorOf(R"([{"role": "user", "content": 5}])").find("messages[0].content | "),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"([{"role": "user", "content": [{"type": "hologram"}]}])")
                .find("messages[0].content[0] | "),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"([{"role": "user", "content": [{"type": "image_url"}]}])")
                .find("'image_url' has no URL"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(R"([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": 3}}]}])")
          .find("'url' is a number"),
      std::string::npos);
  EXPECT_NE(
      ErrorOf(
          R"([{"role": "user", "content": [{"type": "image", "image": "x", "max_pixels": -1}]}])")
          .find("'max_pixels'"),
      std::string::npos);
  EXPECT_NE(
      ErrorOf(
          R"([{"role": "user", "content": [{"type": "image", "image": "x", "detail": "huge"}]}])")
          .find("'detail'"),
      std::string::npos);
}

TEST(Conversation, PixelCountsMayBeWrittenAsFractionsOfOne) {
  const auto picture = [](const std::string& pixels) {
    return ParseConversationText(
        R"([{"role": "user", "content": [{"type": "image", "image": "x", "max_pixels": )" + pixels +
        "}]}]");
  };
  EXPECT_EQ(picture("4096.0")->pictures[0].max_pixels, 4096u);
  EXPECT_EQ(picture("4096")->pictures[0].max_pixels, 4096u);
  for (const char* bad : {"0", "-5", "0.5", "\"4096\"", "true", "[]"}) {
    ASSERT_FALSE(picture(bad).ok()) << bad;
    EXPECT_NE(picture(bad).error().message.find("it must be a whole number above 0"),
              std::string::npos);
  }
}

TEST(Conversation, KnownButUnreadPartsAreUnsupportedByName) {
  const auto file =
      ParseConversationText(R"([{"role": "user", "content": [{"type": "file", "file": {}}]}])");
  EXPECT_EQ(file.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(file.error().message.find("\"file\""), std::string::npos);
}

TEST(Json, RefusesDeepNestingAndBadUtf8WithoutQuotingThem) {
  EXPECT_NE(ErrorOf(std::string(100'000, '[')).find("nests deeper"), std::string::npos);
  EXPECT_NE(ErrorOf(std::string(100'000, '[') + std::string(100'000, ']')).find("nests deeper"),
            std::string::npos);
  EXPECT_NE(ErrorOf("[{\"role\": \"\xC4\xE3\"}]").find("UTF-8"), std::string::npos);
  EXPECT_NE(ErrorOf("[\"\\ud800\"]").find("not valid JSON"), std::string::npos);
  EXPECT_EQ(ErrorOf("\xEF\xBB\xBF[{\"role\": \"user\", \"content\": \"x\"}]"), "no error");
}

}  // namespace
}  // namespace ocelli::api
