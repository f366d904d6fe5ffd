#ifndef OCELLI_TEXT_PROMPT_H_
#define OCELLI_TEXT_PROMPT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "text/tokenizer.h"

namespace ocelli {

// Text without meaning to the machinery, whatever strings it holds.
struct PromptText {
  std::string text;
  bool operator==(const PromptText&) const = default;
};
// A control token, named by its content: "<|im_start|>".
struct PromptControl {
  std::string content;
  bool operator==(const PromptControl&) const = default;
};
// Where the tokens of picture `index` go. Pictures count from 0 in the order of the prompt.
struct PromptPicture {
  size_t index = 0;
  bool operator==(const PromptPicture&) const = default;
};
using PromptPiece = std::variant<PromptText, PromptControl, PromptPicture>;

// What a model is asked, before tokens: pieces whose kinds are known, so that no text has to be
// searched for control strings. Two text pieces are never neighbours: neighbouring text is one run,
// tokenised together, as the reference does it.
class Prompt {
 public:
  // Appends plain text, joining it to the text before it.
  void AddText(std::string_view text);
  // Appends a control token.
  void AddControl(std::string_view content);
  // Appends the next picture: <|vision_start|>, the place of its tokens, <|vision_end|>.
  void AddPicture();

  const std::vector<PromptPiece>& pieces() const { return pieces_; }
  size_t num_pictures() const { return num_pictures_; }

 private:
  std::vector<PromptPiece> pieces_;
  size_t num_pictures_ = 0;
};

// Returns the prompt as one string, each picture as <|vision_start|><|image_pad|><|vision_end|>.
// For people and tests: it does not tell control tokens from text that looks like them.
std::string Render(const Prompt& prompt);

struct TokenizedPrompt {
  std::vector<TokenId> ids;            // each picture as its number of <|image_pad|>
  std::vector<size_t> picture_starts;  // [num_pictures] index in `ids` of its first <|image_pad|>
};

// Turns a prompt into token ids. `image_tokens_per_picture` says how many tokens each picture
// takes.
// **Errors**: kInvalidArgument when the number of pictures differs or one has no tokens; kTooLarge
// when pictures alone take more than 2^24 tokens; kUnsupported when the tokenizer lacks a control
// token that the prompt uses.
Result<TokenizedPrompt> TokenizePrompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                       std::span<const size_t> image_tokens_per_picture);

}  // namespace ocelli

#endif  // OCELLI_TEXT_PROMPT_H_
