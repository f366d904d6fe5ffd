#include "base/printable.h"

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(Printable, VisibleTextStaysAsItIs) {
  EXPECT_EQ(Printable("a.png \xC3\xA9 \xE7\x8C\xAB \xF0\x9F\x98\x80", 100),
            "a.png \xC3\xA9 \xE7\x8C\xAB \xF0\x9F\x98\x80");
  EXPECT_EQ(Printable("", 100), "");
}

TEST(Printable, NothingBreaksTheLineOrDrivesTheTerminal) {
  EXPECT_EQ(Printable(std::string_view("a\nb\r\x1b[31m\x7f\0c", 12), 100),
            "a\\x0ab\\x0d\\x1b[31m\\x7f\\x00c");
  EXPECT_EQ(Printable("\xC2\x9B", 100), "\\xc2\\x9b");           // a control character of C1
  EXPECT_EQ(Printable("\xE2\x80\xAE", 100), "\\xe2\\x80\\xae");  // turns the direction of writing
  EXPECT_EQ(Printable("\xE2\x80\xA8", 100), "\\xe2\\x80\\xa8");  // line separator
}

TEST(Printable, BytesThatAreNotUtf8BecomeNumbers) {
  EXPECT_EQ(Printable("a\xff\xc3", 100), "a\\xff\\xc3");
  EXPECT_EQ(Printable("\xED\xA0\x80", 100), "\\xed\\xa0\\x80");
}

TEST(Printable, TheMiddleOfALongTextGivesWay) {
  EXPECT_EQ(Printable("0123456789", 10), "0123456789");
  EXPECT_EQ(Printable("0123456789a", 10), "01234...6789a");
  EXPECT_EQ(Printable("x\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9y", 4), "x...y");
  EXPECT_LT(Printable(std::string(1'000'000, '\n'), 1000).size(), 4100u);
}

}  // namespace
}  // namespace ocelli
