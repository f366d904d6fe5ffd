#include "base/quoted.h"

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(Quoted, EscapesControlCharactersAndQuotes) {
  EXPECT_EQ(Quoted("model.norm"), "\"model.norm\"");
  EXPECT_EQ(Quoted("\x1b[2J\n"), "\"\\x1b[2J\\x0a\"");
  EXPECT_EQ(Quoted("a\"b\\"), "\"a\\x22b\\x5c\"");
}

TEST(Quoted, CutsLongTexts) {
  EXPECT_EQ(Quoted(std::string(160, 'a')), "\"" + std::string(160, 'a') + "\"");
  EXPECT_EQ(Quoted(std::string(100'000, 'a')), "\"" + std::string(160, 'a') + "...\"");
}

}  // namespace
}  // namespace ocelli
