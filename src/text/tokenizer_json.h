#ifndef OCELLI_TEXT_TOKENIZER_JSON_H_
#define OCELLI_TEXT_TOKENIZER_JSON_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "text/bpe.h"
#include "text/tokenizer.h"

namespace ocelli {

// What a tokenizer.json says, checked: every id is in range and unique, every merge is of known
// tokens, every byte has a token, and no merge makes a control token.
struct TokenizerSpec {
  struct Control {
    TokenId id = 0;
    bool is_special = false;
  };

  std::vector<std::string> token_bytes;  // [vocab_size] raw bytes; empty where an id is unused
  std::array<TokenId, 256> byte_tokens;  // the token of each single byte
  std::vector<BpeMerge> merges;          // in the order of their rank
  std::vector<Control> controls;         // the added tokens; their content is their token_bytes
  std::optional<std::string> pattern;    // of the pre-tokenizer's split
  bool normalizes_to_nfc = false;
};

// The published files have 152 thousand ids in 11 MiB.
constexpr size_t kMaxTokenizerJsonBytes = size_t{32} << 20;
constexpr TokenId kMaxVocabSize = 1 << 20;

// Reads the text of a tokenizer.json. **Errors**: as Tokenizer::FromJson.
Result<TokenizerSpec> ParseTokenizerJson(std::string_view text);

}  // namespace ocelli

#endif  // OCELLI_TEXT_TOKENIZER_JSON_H_
