#include "api/percent_encoding.h"

#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

TEST(PercentEncoding, DecodesHexOfEitherCaseAndLeavesTheRest) {
  EXPECT_EQ(PercentDecoded("a%20b%e4%BD%a0"), "a b\xE4\xBD\xA0");
  EXPECT_EQ(PercentDecoded("100%"), "100%");
  EXPECT_EQ(PercentDecoded("%4"), "%4");
  EXPECT_EQ(PercentDecoded("%zz%2"), "%zz%2");
}

}  // namespace
}  // namespace ocelli::api
