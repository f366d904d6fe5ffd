#include "cli/byte_tokenizer.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace ocelli::cli {
namespace {

using nlohmann::json;

constexpr int32_t kNumBytes = 256;

// Returns the character that byte-level BPE writes for `byte`: itself when it is printable, else
// the next of the characters from U+0100 on. **Ref**: bytes_to_unicode of GPT-2.
std::string ByteCharacter(int byte) {
  const auto printable = [](int b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  };
  int code_point = byte;
  if (!printable(byte)) {
    code_point = kNumBytes;
    for (int b = 0; b < byte; ++b) code_point += printable(b) ? 0 : 1;
  }
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xC0 | (code_point >> 6)),
          static_cast<char>(0x80 | (code_point & 0x3F))};
}

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

}  // namespace

Result<std::shared_ptr<const Tokenizer>> MakeByteTokenizer(const ModelConfig& config) {
  const std::map<int32_t, std::string> control = ControlTokens(config);
  if (control.begin()->first < kNumBytes ||
      control.rbegin()->first >= static_cast<int64_t>(config.text_config.vocab_size)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("config.json: a vocabulary of {} tokens with control tokens {} to {} leaves no "
                    "room for "
                    "256 bytes below them; add a tokenizer.json",
                    config.text_config.vocab_size, control.begin()->first, control.rbegin()->first),
        "config"};
  }
  json vocab = json::object();
  for (int byte = 0; byte < kNumBytes; ++byte) vocab[ByteCharacter(byte)] = byte;
  json added = json::array();
  for (const auto& [id, content] : control) {
    added.push_back({{"id", id}, {"content", content}, {"special", true}});
  }
  const json document = {
      {"added_tokens", added},
      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", json::array()}}}};
  OCELLI_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::FromJson(document.dump()));
  return std::make_shared<const Tokenizer>(std::move(tokenizer));
}

}  // namespace ocelli::cli
