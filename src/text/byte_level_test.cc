#include "text/byte_level.h"

#include "gtest/gtest.h"
#include "text/utf8.h"

namespace ocelli {
namespace {

TEST(ByteLevel, EveryByteHasItsOwnCharacterAndComesBack) {
  for (int byte = 0; byte < 256; ++byte) {
    std::string text;
    AppendUtf8(ByteLevelCharacter(static_cast<uint8_t>(byte)), text);
    EXPECT_EQ(BytesFromByteLevel(text), std::string(1, static_cast<char>(byte)));
  }
}

TEST(ByteLevel, KnowsTheFamousCharacters) {
  EXPECT_EQ(BytesFromByteLevel("ĠtheĊ"), " the\n");
  EXPECT_EQ(BytesFromByteLevel("ä¸Ń"), "中");
}

TEST(ByteLevel, RefusesCharactersOutsideTheAlphabet) {
  EXPECT_FALSE(BytesFromByteLevel(" "));
  EXPECT_FALSE(BytesFromByteLevel("a\u00AD"));  // 0xAD stands elsewhere
  EXPECT_FALSE(BytesFromByteLevel("\u0144"));
  EXPECT_FALSE(BytesFromByteLevel("中"));
}

}  // namespace
}  // namespace ocelli
