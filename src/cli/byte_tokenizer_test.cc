#include "cli/byte_tokenizer.h"

#include <string>

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

ModelConfig Config(size_t vocab_size) {
  ModelConfig config;
  config.text_config.vocab_size = vocab_size;
  config.image_token_id = 268;
  config.video_token_id = 269;
  config.vision_start_token_id = 265;
  config.vision_end_token_id = 266;
  config.eos_token_ids = {258};
  return config;
}

TEST(ByteTokenizer, EveryByteIsItsOwnToken) {
  const auto tokenizer = MakeByteTokenizer(Config(300));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message;
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ((*tokenizer)->Bytes(byte), std::string(1, static_cast<char>(byte))) << byte;
  }
  EXPECT_EQ((*tokenizer)->Encode("é"), (std::vector<TokenId>{0xC3, 0xA9}));
}

TEST(ByteTokenizer, ControlTokensStandWhereTheConfigSays) {
  const auto tokenizer = MakeByteTokenizer(Config(300));
  ASSERT_TRUE(tokenizer.ok());
  EXPECT_EQ((*tokenizer)->ControlToken("<|image_pad|>"), 268);
  EXPECT_EQ((*tokenizer)->ControlToken("<|im_end|>"), 258);
  EXPECT_TRUE((*tokenizer)->ControlToken("<|im_start|>").has_value());
}

TEST(ByteTokenizer, RolesAreOneTokenEach) {
  const auto tokenizer = MakeByteTokenizer(Config(300));
  ASSERT_TRUE(tokenizer.ok());
  for (const char* role : {"system", "user", "assistant"}) {
    EXPECT_EQ((*tokenizer)->Encode(role).size(), 1u) << role;
  }
}

TEST(ByteTokenizer, ATooSmallVocabularyIsRefused) {
  EXPECT_NE(MakeByteTokenizer(Config(260)).error().message.find("leaves no room"),
            std::string::npos);
}

}  // namespace
}  // namespace ocelli::cli
