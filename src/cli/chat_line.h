#ifndef OCELLI_CLI_CHAT_LINE_H_
#define OCELLI_CLI_CHAT_LINE_H_

#include <functional>
#include <string>
#include <string_view>

namespace ocelli::cli {

// What a line typed into the chat asks for.
struct ChatLine {
  enum class Kind {
    kNothing,  // blank
    kText,     // a message: `text`, about `picture` when that is not empty
    kPicture,  // take `picture` into the next message
    kClear,
    kRetry,
    kHelp,
    kQuit,
    kUnknown,  // `text` looks like a command and is none
  };
  Kind kind = Kind::kNothing;
  std::string text;
  std::string picture;
};

// Reads a line. A command is a line that starts with its word, such as "/clear". A path alone on a
// line, or as its first word, is a picture when `is_file` says that it is there and it has a '.' or
// a '/' in it, so that no plain word is ever taken for one. Paths may be quoted, or escaped with
// backslashes, as terminals paste them.
ChatLine ParseChatLine(std::string_view line,
                       const std::function<bool(const std::string& path)>& is_file);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_CHAT_LINE_H_
