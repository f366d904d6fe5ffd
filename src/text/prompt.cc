#include "text/prompt.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

namespace ocelli {
namespace {

constexpr std::string_view kVisionStart = "<|vision_start|>";
constexpr std::string_view kVisionEnd = "<|vision_end|>";
constexpr std::string_view kImagePad = "<|image_pad|>";
constexpr size_t kMaxImageTokens = size_t{1} << 24;

Status CheckImageTokens(const Prompt& prompt, std::span<const size_t> image_tokens_per_picture) {
  if (prompt.num_pictures() != image_tokens_per_picture.size()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("the messages have places for {} pictures but {} pictures came with them",
                    prompt.num_pictures(), image_tokens_per_picture.size()),
        "messages"};
  }
  size_t total = 0;
  for (size_t i = 0; i < image_tokens_per_picture.size(); ++i) {
    if (image_tokens_per_picture[i] == 0) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("picture {} has no image tokens", i),
                   "messages"};
    }
    if (image_tokens_per_picture[i] > kMaxImageTokens - total) {
      return Error{ErrorCode::kTooLarge,
                   fmt::format("the pictures take more than {} tokens together", kMaxImageTokens),
                   "messages"};
    }
    total += image_tokens_per_picture[i];
  }
  return {};
}

Result<TokenId> RequireControl(const Tokenizer& tokenizer, std::string_view content) {
  const std::optional<TokenId> id = tokenizer.ControlToken(content);
  if (id) return *id;
  return Error{ErrorCode::kUnsupported,
               fmt::format("this model's tokenizer has no control token {}, which the prompt needs",
                           content),
               ""};
}

// Appends the tokens of each kind of piece to a prompt.
class PieceTokenizer {
 public:
  PieceTokenizer(const Tokenizer& tokenizer, std::span<const size_t> image_tokens_per_picture)
      : tokenizer_(tokenizer), image_tokens_per_picture_(image_tokens_per_picture) {}

  Status operator()(const PromptText& piece) {
    tokenizer_.EncodeTo(piece.text, out_.ids);
    return {};
  }
  Status operator()(const PromptControl& piece) {
    OCELLI_ASSIGN_OR_RETURN(const TokenId id, RequireControl(tokenizer_, piece.content));
    out_.ids.push_back(id);
    return {};
  }
  Status operator()(const PromptPicture& piece) {
    OCELLI_ASSIGN_OR_RETURN(const TokenId id, RequireControl(tokenizer_, kImagePad));
    out_.picture_starts.push_back(out_.ids.size());
    out_.ids.insert(out_.ids.end(), image_tokens_per_picture_[piece.index], id);
    return {};
  }

  TokenizedPrompt Take() && { return std::move(out_); }

 private:
  const Tokenizer& tokenizer_;
  std::span<const size_t> image_tokens_per_picture_;
  TokenizedPrompt out_;
};

// Appends the string form of each kind of piece.
struct PieceRenderer {
  std::string& out;

  void operator()(const PromptText& piece) { out += piece.text; }
  void operator()(const PromptControl& piece) { out += piece.content; }
  void operator()(const PromptPicture&) { out += kImagePad; }
};

}  // namespace

void Prompt::AddText(std::string_view text) {
  if (text.empty()) return;
  if (!pieces_.empty()) {
    if (auto* last = std::get_if<PromptText>(&pieces_.back())) {
      last->text += text;
      return;
    }
  }
  pieces_.emplace_back(PromptText{std::string(text)});
}

void Prompt::AddControl(std::string_view content) {
  pieces_.emplace_back(PromptControl{std::string(content)});
}

void Prompt::AddPicture() {
  AddControl(kVisionStart);
  pieces_.emplace_back(PromptPicture{num_pictures_++});
  AddControl(kVisionEnd);
}

std::string Render(const Prompt& prompt) {
  std::string out;
  for (const PromptPiece& piece : prompt.pieces()) std::visit(PieceRenderer{out}, piece);
  return out;
}

Result<TokenizedPrompt> TokenizePrompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                       std::span<const size_t> image_tokens_per_picture) {
  OCELLI_RETURN_IF_ERROR(CheckImageTokens(prompt, image_tokens_per_picture));
  PieceTokenizer pieces(tokenizer, image_tokens_per_picture);
  for (const PromptPiece& piece : prompt.pieces())
    OCELLI_RETURN_IF_ERROR(std::visit(pieces, piece));
  return std::move(pieces).Take();
}

}  // namespace ocelli
