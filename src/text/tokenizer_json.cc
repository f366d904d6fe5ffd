#include "text/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/json.h"
#include "base/quoted.h"
#include "text/byte_level.h"
#include "text/token_table.h"

namespace ocelli {
namespace {

using Json = nlohmann::json;

// The pattern of GPT-2, which the ByteLevel pre-tokenizer applies when its use_regex is true.
constexpr std::string_view kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

template <typename... Args>
Error Corrupt(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kCorruptData, fmt::format(format, std::forward<Args>(args)...), ""};
}

template <typename... Args>
Error Unsupported(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kUnsupported, fmt::format(format, std::forward<Args>(args)...), ""};
}

Result<Json> ParseRoot(std::string_view text) {
  if (text.size() > kMaxTokenizerJsonBytes) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("a tokenizer.json of {} bytes is over the limit of {}", text.size(),
                             kMaxTokenizerJsonBytes),
                 ""};
  }
  Result<Json> root = ParseJson(text);
  if (!root.ok()) return Corrupt("tokenizer.json is not JSON: {}", root.error().message);
  if (!root->is_object()) return Corrupt("tokenizer.json is not a JSON object");
  return root;
}

// Returns the member `key` of an object; null where `json` is no object or has no such member.
const Json& Member(const Json& json, const char* key) {
  static const Json null;
  if (!json.is_object()) return null;
  const auto found = json.find(key);
  return found == json.end() ? null : *found;
}

// Returns whether the member is absent, null, or says the same as absence does.
bool IsOff(const Json& json, const char* key) {
  const Json& value = Member(json, key);
  return value.is_null() || value == false || value == "" || value == 0;
}

// Returns the "type" of a component for messages.
std::string TypeOf(const Json& component) {
  const Json& type = Member(component, "type");
  return type.is_string() ? Quoted(type.get_ref<const std::string&>()) : "without a type";
}

bool HasType(const Json& component, std::string_view type) {
  return Member(component, "type") == type;
}

// --- the components around the model -----------------------------------------------------------

Status ReadNormalizer(const Json& normalizer, TokenizerSpec& spec) {
  if (normalizer.is_null()) return {};
  if (!HasType(normalizer, "NFC")) {
    return Unsupported("the normalizer {} is not supported, only \"NFC\" or none",
                       TypeOf(normalizer));
  }
  spec.normalizes_to_nfc = true;
  return {};
}

Status CheckByteLevel(const Json& byte_level) {
  if (!IsOff(byte_level, "add_prefix_space")) {
    return Unsupported("the pre-tokenizer \"ByteLevel\" with add_prefix_space is not supported");
  }
  return {};
}

Status ReadSplit(const Json& split, TokenizerSpec& spec) {
  if (!HasType(split, "Split")) {
    return Unsupported("the pre-tokenizer {} is not supported, only \"Split\" and \"ByteLevel\"",
                       TypeOf(split));
  }
  const Json& regex = Member(Member(split, "pattern"), "Regex");
  if (!regex.is_string()) {
    return Unsupported("the pre-tokenizer \"Split\" is supported only with a \"Regex\" pattern");
  }
  if (Member(split, "behavior") != "Isolated" || !IsOff(split, "invert")) {
    return Unsupported(
        "the pre-tokenizer \"Split\" is supported only with behavior \"Isolated\", not inverted");
  }
  spec.pattern = regex.get<std::string>();
  return {};
}

// ByteLevel alone: it splits by its own pattern unless it is told not to.
Status ReadByteLevel(const Json& byte_level, TokenizerSpec& spec) {
  OCELLI_RETURN_IF_ERROR(CheckByteLevel(byte_level));
  const Json& use_regex = Member(byte_level, "use_regex");
  if (use_regex.is_null() || use_regex == true) spec.pattern = kByteLevelPattern;
  return {};
}

Status ReadPreTokenizer(const Json& pre_tokenizer, TokenizerSpec& spec) {
  if (HasType(pre_tokenizer, "ByteLevel")) return ReadByteLevel(pre_tokenizer, spec);
  if (!HasType(pre_tokenizer, "Sequence")) {
    return Unsupported(
        "the pre-tokenizer {} is not supported, only \"ByteLevel\" or a \"Sequence\"",
        pre_tokenizer.is_null() ? "null" : TypeOf(pre_tokenizer));
  }
  const Json& steps = Member(pre_tokenizer, "pretokenizers");
  if (!steps.is_array() || steps.size() != 2 || !HasType(steps[1], "ByteLevel")) {
    return Unsupported(
        "the pre-tokenizer \"Sequence\" is supported only as one \"Split\" and then \"ByteLevel\"");
  }
  if (!IsOff(steps[1], "use_regex") || Member(steps[1], "use_regex").is_null()) {
    return Unsupported("the pre-tokenizer \"ByteLevel\" after a \"Split\" must not use_regex");
  }
  OCELLI_RETURN_IF_ERROR(CheckByteLevel(steps[1]));
  return ReadSplit(steps[0], spec);
}

Status CheckTheRest(const Json& root) {
  for (const char* key : {"truncation", "padding"}) {
    if (!Member(root, key).is_null())
      return Unsupported("{} in tokenizer.json is not supported", key);
  }
  const Json& post_processor = Member(root, "post_processor");
  if (!post_processor.is_null() && !HasType(post_processor, "ByteLevel")) {
    return Unsupported("the post-processor {} is not supported, only \"ByteLevel\" or none",
                       TypeOf(post_processor));
  }
  const Json& decoder = Member(root, "decoder");
  if (!HasType(decoder, "ByteLevel")) {
    return Unsupported("the decoder {} is not supported, only \"ByteLevel\"",
                       decoder.is_null() ? "null" : TypeOf(decoder));
  }
  return {};
}

Status CheckModel(const Json& model) {
  if (!HasType(model, "BPE")) {
    return Unsupported("the model {} is not supported, only \"BPE\"", TypeOf(model));
  }
  for (const char* key : {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                          "byte_fallback", "ignore_merges"}) {
    if (!IsOff(model, key)) return Unsupported("{} of the BPE model is not supported", key);
  }
  return {};
}

// --- the vocabulary ----------------------------------------------------------------------------

Result<TokenId> ReadId(const Json& id, std::string_view token) {
  if (!id.is_number_integer())
    return Corrupt("the id of token {} is not an integer", Quoted(token));
  const bool in_range = id.is_number_unsigned() && id.get<uint64_t>() < uint64_t{kMaxVocabSize};
  if (!in_range) {
    return Corrupt("the id {} of token {} is not between 0 and {}", id.dump(), Quoted(token),
                   kMaxVocabSize - 1);
  }
  return id.get<TokenId>();
}

// Returns the place of token `id`, which grows the vocabulary if needed.
std::string& TokenBytes(TokenId id, TokenizerSpec& spec) {
  const auto index = static_cast<size_t>(id);
  if (index >= spec.token_bytes.size()) spec.token_bytes.resize(index + 1);
  return spec.token_bytes[index];
}

Status ReadVocab(const Json& vocab, TokenizerSpec& spec) {
  if (!vocab.is_object()) return Corrupt("tokenizer.json has no vocabulary");
  for (const auto& [token, value] : vocab.items()) {
    OCELLI_ASSIGN_OR_RETURN(const TokenId id, ReadId(value, token));
    std::optional<std::string> bytes = BytesFromByteLevel(token);
    if (!bytes || bytes->empty()) {
      return Corrupt("token {} (id {}) is not written in byte-level characters", Quoted(token), id);
    }
    std::string& place = TokenBytes(id, spec);
    if (!place.empty()) return Corrupt("two tokens have the id {}; one is {}", id, Quoted(token));
    place = *std::move(bytes);
  }
  return {};
}

Status ReadAddedToken(const Json& added, TokenizerSpec& spec) {
  const Json& content = Member(added, "content");
  if (!content.is_string() || content == "") return Corrupt("an added token has no content");
  const std::string& text = content.get_ref<const std::string&>();
  OCELLI_ASSIGN_OR_RETURN(const TokenId id, ReadId(Member(added, "id"), text));
  for (const char* key : {"single_word", "lstrip", "rstrip"}) {
    if (!IsOff(added, key))
      return Unsupported("{} of added token {} is not supported", key, Quoted(text));
  }
  std::string& place = TokenBytes(id, spec);
  if (!place.empty() && place != text) {
    return Corrupt("added token {} has the id {} of another token", Quoted(text), id);
  }
  place = text;
  spec.controls.push_back({id, Member(added, "special") == true});
  return {};
}

Status ReadAddedTokens(const Json& added_tokens, TokenizerSpec& spec) {
  if (added_tokens.is_null()) return {};
  if (!added_tokens.is_array()) return Corrupt("added_tokens in tokenizer.json is not a list");
  for (const Json& added : added_tokens) OCELLI_RETURN_IF_ERROR(ReadAddedToken(added, spec));
  std::vector<TokenId> ids;
  for (const TokenizerSpec::Control& control : spec.controls) ids.push_back(control.id);
  std::sort(ids.begin(), ids.end());
  const auto repeated = std::adjacent_find(ids.begin(), ids.end());
  if (repeated != ids.end()) return Corrupt("two added tokens have the id {}", *repeated);
  return {};
}

Result<TokenTable> IndexTokens(const TokenizerSpec& spec) {
  TokenTable table(spec.token_bytes, spec.token_bytes.size());
  for (size_t i = 0; i < spec.token_bytes.size(); ++i) {
    if (spec.token_bytes[i].empty()) continue;
    if (!table.Insert(static_cast<TokenId>(i))) {
      return Corrupt("token {} has the same bytes as token {}", i, table.Find(spec.token_bytes[i]));
    }
  }
  return table;
}

Status FindByteTokens(const TokenTable& table, TokenizerSpec& spec) {
  for (size_t byte = 0; byte < spec.byte_tokens.size(); ++byte) {
    const char c = static_cast<char>(byte);
    spec.byte_tokens[byte] = table.Find({&c, 1});
    if (spec.byte_tokens[byte] == TokenTable::kNoToken) {
      return Corrupt("the vocabulary has no token for the byte 0x{:02X}", byte);
    }
  }
  return {};
}

// --- the merges --------------------------------------------------------------------------------

struct MergeText {
  std::string_view left;
  std::string_view right;
};

// Reads "a b" or ["a", "b"]; nothing for any other form.
std::optional<MergeText> ReadMergeText(const Json& merge) {
  if (merge.is_array()) {
    if (merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string()) return std::nullopt;
    return MergeText{merge[0].get_ref<const std::string&>(),
                     merge[1].get_ref<const std::string&>()};
  }
  if (!merge.is_string()) return std::nullopt;
  const std::string_view text = merge.get_ref<const std::string&>();
  const size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return MergeText{text.substr(0, space), text.substr(space + 1)};
}

Result<BpeMerge> ReadMerge(const Json& merge, size_t rank, const TokenTable& table) {
  const std::optional<MergeText> text = ReadMergeText(merge);
  if (!text) return Corrupt("merge {} is neither \"a b\" nor [\"a\", \"b\"]", rank);
  const std::optional<std::string> left = BytesFromByteLevel(text->left);
  const std::optional<std::string> right = BytesFromByteLevel(text->right);
  if (!left || !right) return Corrupt("merge {} is not written in byte-level characters", rank);
  const BpeMerge found{table.Find(*left), table.Find(*right), table.Find(*left + *right)};
  if (std::min({found.left, found.right, found.result}) == TokenTable::kNoToken) {
    return Corrupt("merge {} of {} and {} names or makes a token that is not in the vocabulary",
                   rank, Quoted(text->left), Quoted(text->right));
  }
  return found;
}

Status CheckNoRepeatedMerge(const std::vector<BpeMerge>& merges) {
  std::vector<std::pair<TokenId, TokenId>> pairs;
  pairs.reserve(merges.size());
  for (const BpeMerge& merge : merges) pairs.emplace_back(merge.left, merge.right);
  std::sort(pairs.begin(), pairs.end());
  const auto repeated = std::adjacent_find(pairs.begin(), pairs.end());
  if (repeated == pairs.end()) return {};
  return Corrupt("two merges join the tokens {} and {}", repeated->first, repeated->second);
}

Status ReadMerges(const Json& merges, const TokenTable& table, TokenizerSpec& spec) {
  if (!merges.is_array()) return Corrupt("tokenizer.json has no list of merges");
  spec.merges.reserve(merges.size());
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    OCELLI_ASSIGN_OR_RETURN(const BpeMerge merge, ReadMerge(merges[rank], rank, table));
    spec.merges.push_back(merge);
  }
  return CheckNoRepeatedMerge(spec.merges);
}

// The promise that text never becomes a control token rests on this: text makes only the tokens of
// bytes and the results of merges.
Status CheckTextMakesNoControl(const TokenizerSpec& spec) {
  std::vector<bool> made_by_text(spec.token_bytes.size());
  for (const TokenId id : spec.byte_tokens) made_by_text[static_cast<size_t>(id)] = true;
  for (const BpeMerge& merge : spec.merges) made_by_text[static_cast<size_t>(merge.result)] = true;
  for (const TokenizerSpec::Control& control : spec.controls) {
    const auto id = static_cast<size_t>(control.id);
    if (!made_by_text[id]) continue;
    return Corrupt("the added token {} is also a token that plain text makes",
                   Quoted(spec.token_bytes[id]));
  }
  return {};
}

}  // namespace

Result<TokenizerSpec> ParseTokenizerJson(std::string_view text) {
  OCELLI_ASSIGN_OR_RETURN(const Json root, ParseRoot(text));
  const Json& model = Member(root, "model");
  TokenizerSpec spec;
  OCELLI_RETURN_IF_ERROR(CheckModel(model));
  OCELLI_RETURN_IF_ERROR(ReadNormalizer(Member(root, "normalizer"), spec));
  OCELLI_RETURN_IF_ERROR(ReadPreTokenizer(Member(root, "pre_tokenizer"), spec));
  OCELLI_RETURN_IF_ERROR(CheckTheRest(root));
  OCELLI_RETURN_IF_ERROR(ReadVocab(Member(model, "vocab"), spec));
  OCELLI_RETURN_IF_ERROR(ReadAddedTokens(Member(root, "added_tokens"), spec));
  OCELLI_ASSIGN_OR_RETURN(const TokenTable table, IndexTokens(spec));
  OCELLI_RETURN_IF_ERROR(FindByteTokens(table, spec));
  OCELLI_RETURN_IF_ERROR(ReadMerges(Member(model, "merges"), table, spec));
  OCELLI_RETURN_IF_ERROR(CheckTextMakesNoControl(spec));
  return spec;
}

}  // namespace ocelli
