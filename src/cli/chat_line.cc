#include "cli/chat_line.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ocelli::cli {
namespace {

using Kind = ChatLine::Kind;

constexpr std::string_view kBlanks = " \t";

constexpr std::array<std::pair<std::string_view, Kind>, 7> kCommands = {
    {{"/picture", Kind::kPicture},
     {"/clear", Kind::kClear},
     {"/retry", Kind::kRetry},
     {"/help", Kind::kHelp},
     {"/?", Kind::kHelp},
     {"/quit", Kind::kQuit},
     {"/exit", Kind::kQuit}}};

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes the first word off the front of `text` as a shell would: quotes and backslashes keep blanks
// together and are no part of it.
std::string TakeWord(std::string_view& text) {
  std::string word;
  char quote = '\0';
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote != '\0') {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (kBlanks.find(c) != std::string_view::npos) {
      break;
    } else {
      word += c;
    }
  }
  text = Trimmed(text.substr(i));
  return word;
}

bool LooksLikePath(std::string_view word) {
  return word.find_first_of("./") != std::string_view::npos;
}

ChatLine ParseCommand(Kind kind, std::string_view rest,
                      const std::function<bool(const std::string&)>& is_file) {
  if (kind != Kind::kPicture) return {kind, {}, {}};
  std::string whole(rest);
  // Blanks in a path need no quotes here: there is nothing else on the line.
  if (is_file(whole)) return {kind, {}, std::move(whole)};
  return {kind, {}, TakeWord(rest)};
}

}  // namespace

ChatLine ParseChatLine(std::string_view line,
                       const std::function<bool(const std::string& path)>& is_file) {
  const std::string_view text = Trimmed(line);
  if (text.empty()) return {};
  const std::string_view first = text.substr(0, text.find_first_of(kBlanks));
  const auto command = std::find_if(kCommands.begin(), kCommands.end(),
                                    [first](const auto& entry) { return entry.first == first; });
  if (command != kCommands.end()) {
    return ParseCommand(command->second, Trimmed(text.substr(first.size())), is_file);
  }
  if (LooksLikePath(text) && is_file(std::string(text))) {
    return {Kind::kPicture, {}, std::string(text)};
  }
  std::string_view rest = text;
  std::string word = TakeWord(rest);
  if (LooksLikePath(word) && is_file(word)) {
    return {rest.empty() ? Kind::kPicture : Kind::kText, std::string(rest), std::move(word)};
  }
  const bool is_command =
      first.size() > 1 && first.front() == '/' && first.find('/', 1) == std::string_view::npos;
  return {is_command ? Kind::kUnknown : Kind::kText, std::string(text), {}};
}

}  // namespace ocelli::cli
