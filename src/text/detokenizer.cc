#include "text/detokenizer.h"

#include <utility>

#include "text/utf8.h"

namespace ocelli {
namespace {

std::string_view VisibleBytes(const Tokenizer& tokenizer, TokenId id,
                              SpecialTokens special_tokens) {
  if (special_tokens == SpecialTokens::kSkip && tokenizer.IsSpecial(id)) return {};
  return tokenizer.Bytes(id);
}

// Returns how many bytes at the end of `bytes` are a character that more bytes could complete.
size_t UnfinishedTail(std::string_view bytes) {
  // The start of a character is among the last three bytes, or nothing is unfinished.
  for (size_t size = 1; size <= 3 && size <= bytes.size(); ++size) {
    const std::string_view tail = bytes.substr(bytes.size() - size);
    if (ReadUtf8(tail).kind == Utf8Step::Kind::kIncomplete) return size;
  }
  return 0;
}

}  // namespace

std::string Decode(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                   SpecialTokens special_tokens) {
  std::string bytes;
  for (const TokenId id : ids) bytes += VisibleBytes(tokenizer, id, special_tokens);
  return ReplaceInvalidUtf8(bytes);
}

std::string StreamingDetokenizer::Push(TokenId id) {
  held_ += VisibleBytes(*tokenizer_, id, special_tokens_);
  std::string ready = std::exchange(held_, {});
  const size_t tail = UnfinishedTail(ready);
  held_ = ready.substr(ready.size() - tail);
  ready.resize(ready.size() - tail);
  return ReplaceInvalidUtf8(ready);
}

std::string StreamingDetokenizer::Finish() { return ReplaceInvalidUtf8(std::exchange(held_, {})); }

}  // namespace ocelli
