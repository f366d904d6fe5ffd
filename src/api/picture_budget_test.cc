#include "api/picture_budget.h"

#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

using Detail = PictureReference::Detail;

PictureReference Reference(Detail detail, uint64_t max_pixels = 0) {
  PictureReference picture;
  picture.detail = detail;
  picture.max_pixels = max_pixels;
  return picture;
}

TEST(PictureBudget, NobodyAskedGivesTheDefaultCap) {
  EXPECT_EQ(PictureBudget(Reference(Detail::kAuto), {}).max_image_tokens, kDefaultMaxImageTokens);
}

TEST(PictureBudget, HighLiftsTheCapAndLowLowersIt) {
  EXPECT_EQ(PictureBudget(Reference(Detail::kHigh), {}).max_image_tokens, 0u);
  EXPECT_EQ(PictureBudget(Reference(Detail::kLow), {}).max_image_tokens, kLowDetailMaxImageTokens);
  PictureOptions tight;
  tight.max_image_tokens = 100;
  EXPECT_EQ(PictureBudget(Reference(Detail::kLow), tight).max_image_tokens, 100u);
  EXPECT_EQ(PictureBudget(Reference(Detail::kHigh), tight).max_image_tokens, 100u);
}

TEST(PictureBudget, ThePicturesOwnPixelsWin) {
  PictureOptions defaults;
  defaults.max_image_tokens = 100;
  const PictureOptions options = PictureBudget(Reference(Detail::kAuto, 1'000'000), defaults);
  EXPECT_EQ(options.max_pixels, 1'000'000u);
  EXPECT_EQ(options.max_image_tokens, 0u);
}

}  // namespace
}  // namespace ocelli::api
