#include "cli/chat_line.h"

#include <set>

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

using Kind = ChatLine::Kind;

const std::set<std::string> kFiles = {"/home/me/a.png", "b.jpg", "my photo.png", "it's.png", "run"};

ChatLine Parse(std::string_view line) {
  return ParseChatLine(line, [](const std::string& path) { return kFiles.contains(path); });
}

void ExpectLine(std::string_view line, Kind kind, std::string_view text, std::string_view picture) {
  const ChatLine parsed = Parse(line);
  EXPECT_EQ(parsed.kind, kind) << line;
  EXPECT_EQ(parsed.text, text) << line;
  EXPECT_EQ(parsed.picture, picture) << line;
}

TEST(ChatLine, Commands) {
  ExpectLine("/clear", Kind::kClear, "", "");
  ExpectLine("  /retry  ", Kind::kRetry, "", "");
  ExpectLine("/help me", Kind::kHelp, "", "");
  ExpectLine("/quit", Kind::kQuit, "", "");
  ExpectLine("/exit", Kind::kQuit, "", "");
  ExpectLine("/qiut", Kind::kUnknown, "/qiut", "");
  ExpectLine("/", Kind::kText, "/", "");
  ExpectLine("/etc/passwd holds what?", Kind::kText, "/etc/passwd holds what?", "");
}

TEST(ChatLine, PicturesByCommandPathOrFirstWord) {
  ExpectLine("/picture /home/me/a.png", Kind::kPicture, "", "/home/me/a.png");
  ExpectLine("/picture my photo.png", Kind::kPicture, "", "my photo.png");
  ExpectLine("/picture 'my photo.png'", Kind::kPicture, "", "my photo.png");
  ExpectLine("/picture nowhere.png", Kind::kPicture, "", "nowhere.png");
  ExpectLine("/picture", Kind::kPicture, "", "");
  ExpectLine("/home/me/a.png", Kind::kPicture, "", "/home/me/a.png");
  ExpectLine("'/home/me/a.png' ", Kind::kPicture, "", "/home/me/a.png");
  ExpectLine("my photo.png", Kind::kPicture, "", "my photo.png");
  ExpectLine("my\\ photo.png what is it?", Kind::kText, "what is it?", "my photo.png");
  ExpectLine("\"it's.png\" read it", Kind::kText, "read it", "it's.png");
  ExpectLine("b.jpg  Read  it.", Kind::kText, "Read  it.", "b.jpg");
}

TEST(ChatLine, PlainWordsStayText) {
  ExpectLine("run", Kind::kText, "run", "");  // though there is such a file
  ExpectLine("run away", Kind::kText, "run away", "");
  ExpectLine("It's \"fine\" \\ here", Kind::kText, "It's \"fine\" \\ here", "");
  ExpectLine("nowhere.png please", Kind::kText, "nowhere.png please", "");
  ExpectLine("\t ", Kind::kNothing, "", "");
}

}  // namespace
}  // namespace ocelli::cli
