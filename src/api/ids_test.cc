#include "api/ids.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

TEST(NewId, IsThePrefixAnd24LettersOrDigitsNeverTheSame) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(NewId("chatcmpl-"));
  EXPECT_EQ(ids.size(), 1000u);
  for (const std::string& id : ids) {
    ASSERT_EQ(id.substr(0, 9), "chatcmpl-");
    ASSERT_EQ(id.size(), 33u);
    EXPECT_TRUE(std::all_of(id.begin() + 9, id.end(),
                            [](unsigned char c) { return std::isalnum(c) != 0; }));
  }
}

}  // namespace
}  // namespace ocelli::api
