#include "api/base64.h"

#include <string>

#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

std::string Decoded(std::string_view text) {
  const auto bytes = DecodeBase64(text, 1000);
  if (!bytes.ok()) return "error: " + bytes.error().message;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

TEST(Base64, DecodesTheVectorsOfRfc4648WithAndWithoutPadding) {
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                        {"Zg==", "f"},
                                                        {"Zm8=", "fo"},
                                                        {"Zm9v", "foo"},
                                                        {"Zm9vYg==", "foob"},
                                                        {"Zm9vYmE=", "fooba"},
                                                        {"Zm9vYmFy", "foobar"}}) {
    EXPECT_EQ(Decoded(text), expected);
    EXPECT_EQ(Decoded(text.substr(0, text.find('='))), expected);
  }
}

TEST(Base64, TakesUrlSafeDigitsAndLineBreaks) {
  EXPECT_EQ(Decoded("-_-_"), Decoded("+/+/"));
  EXPECT_EQ(Decoded("Zm9v\r\nYmFy\n"), "foobar");
}

TEST(Base64, NamesTheBadCharacter) {
  EXPECT_EQ(Decoded("Zm9*"), "error: not base64: '*' at character 3");
  EXPECT_EQ(Decoded("Zg==Zg"), "error: not base64: 'Z' at character 4");
  EXPECT_EQ(Decoded(std::string("Zm\0v", 4)), "error: not base64: byte 0x00 at character 2");
  EXPECT_EQ(Decoded("Zm9vY"),
            "error: not base64: cut off (5 digits, one too many for whole bytes)");
}

TEST(Base64, StopsAtTheLimit) {
  EXPECT_TRUE(DecodeBase64("Zm9v", 3).ok());
  EXPECT_EQ(DecodeBase64("Zm9vYg", 3).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace ocelli::api
