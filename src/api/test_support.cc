#include "api/test_support.h"

#include <filesystem>
#include <utility>

#include "gtest/gtest.h"
#include "text/utf8.h"

namespace ocelli::api {

std::shared_ptr<const Tokenizer> TestTokenizer() {
  static const auto* const kTokenizer =
      new std::shared_ptr<const Tokenizer>(std::make_shared<const Tokenizer>(
          Tokenizer::FromFile(std::filesystem::path(OCELLI_SOURCE_DIR) /
                              "tests/golden/data/checkpoint_tied/tokenizer.json")
              .value()));
  return *kTokenizer;
}

RequestDefaults TestDefaults() {
  RequestDefaults defaults;
  defaults.model_id = "Qwen3-VL-2B-Instruct";
  defaults.params.temperature = 0.7f;
  defaults.params.top_p = 0.8f;
  defaults.params.top_k = 20;
  defaults.params.presence_penalty = 1.5f;
  defaults.vocab_size = 300;
  defaults.max_context_tokens = 1000;
  defaults.max_pictures = 4;
  return defaults;
}

ReplyContext TestContext() {
  ReplyContext context;
  context.id = "id-1";
  context.created = 1'700'000'000;
  context.model = "m";
  context.system_fingerprint = "fp";
  context.pictures = {{{800, 400}, {768, 384}, 288}};
  context.tokenizer = TestTokenizer();
  return context;
}

TokenEvent ReasoningToken(TokenId id, std::string text) {
  TokenEvent event;
  event.token_id = id;
  event.reasoning = std::move(text);
  event.is_reasoning = true;
  event.logprob = TokenLogprob{id, -0.25f};
  return event;
}

std::vector<SseMessage> ReadSse(std::string_view stream) {
  std::vector<SseMessage> messages;
  while (!stream.empty()) {
    const size_t end = stream.find("\n\n");
    if (end == std::string_view::npos) {
      ADD_FAILURE() << "the stream ends inside an event: " << stream;
      return messages;
    }
    std::string_view block = stream.substr(0, end);
    stream.remove_prefix(end + 2);
    EXPECT_TRUE(IsValidUtf8(block));
    SseMessage& message = messages.emplace_back();
    while (!block.empty()) {
      const std::string_view line = block.substr(0, block.find('\n'));
      block.remove_prefix(std::min(line.size() + 1, block.size()));
      if (line.starts_with("event: ")) message.name = line.substr(7);
      if (line.starts_with("data: ")) message.data += line.substr(6);
      if (line.starts_with(": ")) message.comment = line.substr(2);
    }
  }
  return messages;
}

TestJson MustParse(std::string_view text) {
  TestJson value = TestJson::parse(text, nullptr, false);
  EXPECT_FALSE(value.is_discarded()) << text;
  return value;
}

}  // namespace ocelli::api
