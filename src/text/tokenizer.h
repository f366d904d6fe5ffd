#ifndef OCELLI_TEXT_TOKENIZER_H_
#define OCELLI_TEXT_TOKENIZER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ocelli {

using TokenId = int32_t;

// Byte-level BPE as tokenizer.json describes it. Two kinds of tokens never mix: ordinary tokens,
// which Encode makes from text, and control tokens (the file's added_tokens), which only code can
// name. So no text that a user writes ever becomes a control token.
//
// **Threads**: immutable after loading; every method may be called from any thread at once.
// **Ref**: tokenizers (Rust) `models/bpe`, `pre_tokenizers/{split,byte_level}`.
class Tokenizer {
 public:
  // Loads a Hugging Face tokenizer.json: model BPE; normalizer NFC or none; pre-tokenizer
  // ByteLevel, alone or after one Split by regular expression; decoder ByteLevel.
  // **Errors**: those of ReadFile; kCorruptData for JSON or values that make no tokenizer;
  // kUnsupported, naming it, for every component that this class does not implement; kTooLarge
  // above 32 MiB. `param` is the path of the file.
  static Result<Tokenizer> FromFile(const std::filesystem::path& path);

  // As FromFile, from the text of the file. **Errors**: without `param`.
  static Result<Tokenizer> FromJson(std::string_view json);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Returns the ordinary tokens of `utf8`; control strings in it are plain text like any other.
  // Ill-formed UTF-8 reads as U+FFFD, as ReplaceInvalidUtf8 has it. Time grows as n log n whatever
  // the text. A run without a split point is cut every 16 MiB.
  std::vector<TokenId> Encode(std::string_view utf8) const;

  // Appends Encode(`utf8`) to `ids`.
  void EncodeTo(std::string_view utf8, std::vector<TokenId>& ids) const;

  // Returns the control token whose content is `content`, such as "<|im_end|>".
  std::optional<TokenId> ControlToken(std::string_view content) const;

  // Returns the raw bytes of `id`, often a part of a character; the content of a control token; an
  // empty string for an id that means nothing here (models may have more rows than there are
  // tokens).
  std::string_view Bytes(TokenId id) const;

  // Returns whether `id` is a control token, that is, one of the file's added_tokens.
  bool IsControl(TokenId id) const;

  // Returns whether `id` is a control token that the file marks "special": it is left out of
  // decoded text. Tags such as <tool_call> are control tokens without being special.
  bool IsSpecial(TokenId id) const;

  // One more than the greatest id.
  size_t vocab_size() const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<const State> state);

  std::unique_ptr<const State> state_;
};

}  // namespace ocelli

#endif  // OCELLI_TEXT_TOKENIZER_H_
