#include "cli/byte_tokenizer.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "text/byte_level.h"
#include "text/utf8.h"

namespace ocelli::cli {
namespace {

using nlohmann::json;

constexpr int32_t kNumBytes = 256;

std::map<int32_t, std::string> ControlTokens(const ModelConfig& config) {
  std::map<int32_t, std::string> tokens = {{config.image_token_id, "<|image_pad|>"},
                                           {config.video_token_id, "<|video_pad|>"},
                                           {config.vision_start_token_id, "<|vision_start|>"},
                                           {config.vision_end_token_id, "<|vision_end|>"}};
  if (!config.eos_token_ids.empty()) tokens.emplace(config.eos_token_ids.front(), "<|im_end|>");
  int32_t free_id = kNumBytes;
  const auto add = [&](const char* content) {
    for (const auto& [id, known] : tokens) {
      if (known == content) return;
    }
    while (tokens.contains(free_id)) ++free_id;
    tokens.emplace(free_id, content);
  };
  add("<|im_start|>");
  add("<|im_end|>");
  return tokens;
}

// Adds the merges that make each role of the chat template one token, as it is in the published
// vocabulary, so that a prompt has as many tokens as with that. A vocabulary without room for them
// goes without.
void AddRoles(const std::map<int32_t, std::string>& control, size_t vocab_size, json& vocab,
              json& merges) {
  int32_t free_id = kNumBytes;
  for (const std::string_view role : {"system", "user", "assistant"}) {
    for (size_t length = 2; length <= role.size(); ++length) {
      const std::string piece(role.substr(0, length));
      if (vocab.contains(piece)) continue;
      while (control.contains(free_id)) ++free_id;
      if (static_cast<size_t>(free_id) >= vocab_size) return;
      vocab[piece] = free_id++;
      merges.push_back(fmt::format("{} {}", role.substr(0, length - 1), role[length - 1]));
    }
  }
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> MakeByteTokenizer(const ModelConfig& config) {
  const std::map<int32_t, std::string> control = ControlTokens(config);
  if (control.begin()->first < kNumBytes ||
      control.rbegin()->first >= static_cast<int64_t>(config.text_config.vocab_size)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("config.json: a vocabulary of {} tokens with control tokens {} to {} leaves no "
                    "room for 256 bytes below them; add a tokenizer.json",
                    config.text_config.vocab_size, control.begin()->first, control.rbegin()->first),
        "config"};
  }
  json vocab = json::object();
  for (int32_t byte = 0; byte < kNumBytes; ++byte) {
    std::string character;
    AppendUtf8(ByteLevelCharacter(static_cast<uint8_t>(byte)), character);
    vocab[character] = byte;
  }
  json merges = json::array();
  AddRoles(control, config.text_config.vocab_size, vocab, merges);
  json added = json::array();
  for (const auto& [id, content] : control) {
    added.push_back({{"id", id}, {"content", content}, {"special", true}});
  }
  const json document = {
      {"added_tokens", added},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", merges}}}};
  OCELLI_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::FromJson(document.dump()));
  return std::make_shared<const Tokenizer>(std::move(tokenizer));
}

}  // namespace ocelli::cli
