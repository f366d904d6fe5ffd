#include "text/tokenizer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/file.h"
#include "text/bpe.h"
#include "text/nfc.h"
#include "text/split_pattern.h"
#include "text/token_table.h"
#include "text/tokenizer_json.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

enum class TokenKind : uint8_t {
  kUnused,   // no token has the id
  kPart,     // text makes it by merging only, as parts of its bytes merge otherwise
  kWhole,    // text that is exactly its bytes becomes this one token
  kControl,  // an added token
  kSpecial,  // an added token that decoding leaves out
};

}  // namespace

struct Tokenizer::State {
  State(TokenizerSpec the_spec, std::optional<SplitPattern> the_pattern)
      : spec(std::move(the_spec)),
        pattern(std::move(the_pattern)),
        merger(spec.byte_tokens, spec.merges),
        table(spec.token_bytes, spec.token_bytes.size()),
        kinds(spec.token_bytes.size(), TokenKind::kUnused) {
    for (const TokenizerSpec::Control& control : spec.controls) {
      kinds[static_cast<size_t>(control.id)] =
          control.is_special ? TokenKind::kSpecial : TokenKind::kControl;
    }
    ClassifyOrdinaryTokens();
  }
  State(const State&) = delete;  // `table` points into `spec`
  State& operator=(const State&) = delete;

  // Finds out which tokens their own bytes merge to, so that Encode can look up a whole pre-token
  // instead of merging it: most words of ordinary text are one token.
  void ClassifyOrdinaryTokens() {
    BpeScratch scratch;
    std::vector<TokenId> ids;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (spec.token_bytes[i].empty()) continue;
      table.Insert(static_cast<TokenId>(i));
      if (kinds[i] != TokenKind::kUnused) continue;
      ids.clear();
      merger.Encode(spec.token_bytes[i], scratch, ids);
      const bool is_whole = ids.size() == 1 && ids[0] == static_cast<TokenId>(i);
      kinds[i] = is_whole ? TokenKind::kWhole : TokenKind::kPart;
    }
  }

  TokenKind KindOf(TokenId id) const {
    const auto index = static_cast<size_t>(id);
    return id < 0 || index >= kinds.size() ? TokenKind::kUnused : kinds[index];
  }

  void EncodePiece(std::string_view piece, BpeScratch& scratch, std::vector<TokenId>& ids) const {
    const TokenId whole = table.Find(piece);
    if (KindOf(whole) == TokenKind::kWhole) {
      ids.push_back(whole);
      return;
    }
    for (; !piece.empty(); piece.remove_prefix(std::min(piece.size(), BpeMerger::kMaxPieceBytes))) {
      merger.Encode(piece.substr(0, BpeMerger::kMaxPieceBytes), scratch, ids);
    }
  }

  TokenizerSpec spec;
  std::optional<SplitPattern> pattern;
  BpeMerger merger;
  TokenTable table;
  std::vector<TokenKind> kinds;  // [vocab_size]
};

Tokenizer::Tokenizer(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::FromFile(const std::filesystem::path& path) {
  OCELLI_ASSIGN_OR_RETURN(const std::string json, ReadFile(path, kMaxTokenizerJsonBytes));
  Result<Tokenizer> tokenizer = FromJson(json);
  if (tokenizer.ok()) return tokenizer;
  Error error = tokenizer.error().WithContext(path.string());
  error.param = path.string();
  return error;
}

Result<Tokenizer> Tokenizer::FromJson(std::string_view json) {
  OCELLI_ASSIGN_OR_RETURN(TokenizerSpec spec, ParseTokenizerJson(json));
  std::optional<SplitPattern> pattern;
  if (spec.pattern) {
    OCELLI_ASSIGN_OR_RETURN(pattern, SplitPattern::Compile(*spec.pattern));
  }
  return Tokenizer(std::make_unique<const State>(std::move(spec), std::move(pattern)));
}

std::vector<TokenId> Tokenizer::Encode(std::string_view utf8) const {
  std::vector<TokenId> ids;
  EncodeTo(utf8, ids);
  return ids;
}

void Tokenizer::EncodeTo(std::string_view utf8, std::vector<TokenId>& ids) const {
  std::string rewritten;
  if (!IsValidUtf8(utf8)) utf8 = rewritten = ReplaceInvalidUtf8(utf8);
  if (state_->spec.normalizes_to_nfc && !IsSurelyNfc(utf8)) utf8 = rewritten = ToNfc(utf8);
  BpeScratch scratch;
  const auto encode = [&](std::string_view piece) { state_->EncodePiece(piece, scratch, ids); };
  if (state_->pattern) {
    state_->pattern->ForEach(utf8, encode);
  } else {
    encode(utf8);
  }
}

std::optional<TokenId> Tokenizer::ControlToken(std::string_view content) const {
  const TokenId id = state_->table.Find(content);
  return IsControl(id) ? std::optional(id) : std::nullopt;
}

std::string_view Tokenizer::Bytes(TokenId id) const {
  if (state_->KindOf(id) == TokenKind::kUnused) return {};
  return state_->spec.token_bytes[static_cast<size_t>(id)];
}

bool Tokenizer::IsControl(TokenId id) const { return state_->KindOf(id) >= TokenKind::kControl; }

bool Tokenizer::IsSpecial(TokenId id) const { return state_->KindOf(id) == TokenKind::kSpecial; }

size_t Tokenizer::vocab_size() const { return state_->kinds.size(); }

}  // namespace ocelli
