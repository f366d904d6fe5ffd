#include "api/data_url.h"

#include <string>

#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

std::string Decoded(std::string_view url) {
  const auto bytes = DecodeDataUrl(url, 1000);
  if (!bytes.ok()) return "error: " + bytes.error().message;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

TEST(DataUrl, TakesEveryFormThatClientsSend) {
  EXPECT_EQ(Decoded("data:image/png;base64,Zm9v"), "foo");
  EXPECT_EQ(Decoded("DATA:IMAGE/PNG;BASE64,Zm9v"), "foo");
  EXPECT_EQ(Decoded("data:;base64,Zm9v"), "foo");
  EXPECT_EQ(Decoded("data:image/png;name=a.png;base64,Zg"), "f");
  EXPECT_EQ(Decoded("data:image/png;base64,Zg%3D%3D"), "f");
}

TEST(DataUrl, RefusesWhatIsNotOne) {
  EXPECT_NE(Decoded("data:image/png;base64").find("comma"), std::string::npos);
  EXPECT_NE(Decoded("data:image/png,Zm9v").find(";base64"), std::string::npos);
  EXPECT_NE(Decoded("http://x/y,z").find("not a data URL"), std::string::npos);
  EXPECT_NE(Decoded("data:;base64,%ZZ").find("'%'"), std::string::npos);
  EXPECT_TRUE(IsDataUrl("Data:x"));
  EXPECT_FALSE(IsDataUrl("dat"));
}

}  // namespace
}  // namespace ocelli::api
