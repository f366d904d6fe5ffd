#include "picture/size_rule.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"
#include "picture/test_support.h"

namespace ocelli {
namespace {

constexpr int kFactor = 32;
constexpr uint64_t kMinPixels = 65'536;
constexpr uint64_t kMaxPixels = 16'777'216;

std::string ParamOf(const Result<SizePx>& size) {
  return size.ok() ? "accepted" : size.error().param;
}

TEST(SmartResize, EqualsEveryRowOfTheReference) {
  const auto golden = picture_test::ReadGoldenJson("resize/sizes.json");
  ASSERT_GT(golden["rows"].size(), 600u);
  for (const auto& row : golden["rows"]) {
    const auto size = SmartResize(row[0], row[1], kFactor, row[2], row[3]);
    ASSERT_TRUE(size.ok()) << row;
    EXPECT_EQ(*size, (SizePx{row[4], row[5]})) << row;
  }
}

TEST(SmartResize, GivesTheKnownTokenCounts) {
  const struct {
    int width, height;
    uint64_t tokens;
  } cases[] = {{400, 400, 144},         {336, 336, 100},      {432, 432, 196},
               {1920, 1080, 2040},      {305, 30, 78},        {332, 27, 87},
               {500, 19, 84},           {6000, 4000, 16'224}, {690, 15'420, 10'604},
               {12'000, 12'000, 16'384}};
  for (const auto& c : cases) {
    const auto size = SmartResize(c.width, c.height, kFactor, kMinPixels, kMaxPixels);
    ASSERT_TRUE(size.ok());
    EXPECT_EQ(NumImageTokens(*size, ProcessorOptions{}), c.tokens) << c.width << "x" << c.height;
  }
}

TEST(SmartResize, RoundsHalvesToEven) {
  EXPECT_EQ(*SmartResize(400, 400, kFactor, 1, kMaxPixels), (SizePx{384, 384}));  // 12.5 -> 12
  EXPECT_EQ(*SmartResize(432, 432, kFactor, 1, kMaxPixels), (SizePx{448, 448}));  // 13.5 -> 14
}

TEST(SmartResize, NamesTheFieldOfImpossibleValues) {
  EXPECT_EQ(ParamOf(SmartResize(0, 5, 32, 1, 9)), "width");
  EXPECT_EQ(ParamOf(SmartResize(5, -1, 32, 1, 9)), "height");
  EXPECT_EQ(ParamOf(SmartResize(5, 5, 0, 1, 9)), "factor");
  EXPECT_EQ(ParamOf(SmartResize(5, 5, 2'000'000'000, 1, 9)), "factor");
  EXPECT_EQ(ParamOf(SmartResize(5, 5, 32, 0, 9)), "min_pixels");
  EXPECT_EQ(ParamOf(SmartResize(5, 5, 32, 10, 9)), "min_pixels");
  EXPECT_EQ(ParamOf(SmartResize(5, 5, 32, 1, uint64_t{1} << 60)), "max_pixels");
  EXPECT_EQ(ParamOf(SmartResize(201, 1, 32, 1, 9999)), "aspect_ratio");
  EXPECT_EQ(ParamOf(SmartResize(200, 1, 32, 1, 9999)), "accepted");
}

TEST(SmartResize, SurvivesTheLargestNumbers) {
  const int huge = 2'147'483'647;
  const auto size = SmartResize(huge, huge / 200 + 1, 65'536, uint64_t{1} << 32, uint64_t{1} << 32);
  ASSERT_TRUE(size.ok());
  EXPECT_GT(size->width_px, 0);
}

TEST(ChooseSize, WithoutOptionsIsSmartResize) {
  EXPECT_EQ(*ChooseSize({4000, 3000}, {}, {}),
            *SmartResize(4000, 3000, kFactor, kMinPixels, kMaxPixels));
  EXPECT_EQ(*ChooseSize({20, 20}, {}, {}), *SmartResize(20, 20, kFactor, kMinPixels, kMaxPixels));
}

TEST(ChooseSize, MaxPixelsAndTokensLowerTheArea) {
  EXPECT_LE(ChooseSize({4000, 3000}, {}, {.max_pixels = 4 * 32 * 32 * 64})->num_pixels(),
            4u * 32 * 32 * 64);
  const auto size = ChooseSize({4000, 3000}, {}, {.max_image_tokens = 300});
  EXPECT_LE(NumImageTokens(*size, {}), 300u);
  EXPECT_GT(NumImageTokens(*size, {}), 250u);
  EXPECT_EQ(*ChooseSize({64, 64}, {}, {.max_image_tokens = 1}), (SizePx{32, 32}));
}

TEST(ChooseSize, MaxPixelsNeverRaisesTheModelsMaximum) {
  const ProcessorOptions small{.min_pixels = 4096, .max_pixels = 65'536};
  EXPECT_EQ(*ChooseSize({4000, 4000}, small, {.max_pixels = 12'845'056}), (SizePx{256, 256}));
}

TEST(ChooseSize, MinPixelsEnlarges) {
  EXPECT_GE(ChooseSize({100, 100}, {}, {.min_pixels = 600'000})->num_pixels(), 600'000u);
  EXPECT_EQ(*ChooseSize({320, 320}, {}, {.min_pixels = 1}), (SizePx{320, 320}));
}

TEST(ChooseSize, SidesAreKeptAfterRounding) {
  EXPECT_EQ(*ChooseSize({4000, 3000}, {}, {.max_side = 336}), (SizePx{320, 256}));
  EXPECT_EQ(*ChooseSize({338, 338}, {}, {.max_side = 340}), (SizePx{320, 320}));
  EXPECT_EQ(ChooseSize({800, 100}, {}, {.min_side = 128})->height_px, 128);
  EXPECT_EQ(ChooseSize({800, 100}, {}, {.min_side = 129})->height_px, 160);
}

TEST(ChooseSize, MinSideComesBeforeMaxSideAndMaxSideBeforeMinPixels) {
  const auto strip = ChooseSize({690, 15'420}, {}, {.max_side = 336, .min_side = 128});
  EXPECT_EQ(strip->width_px, 128);
  EXPECT_NEAR(strip->height_px, 128.0 * 15'420 / 690, 16);
  EXPECT_EQ(*ChooseSize({336, 50}, {}, {.max_side = 336}), (SizePx{320, 64}));
  EXPECT_EQ(*ChooseSize({64, 2}, {}, {.max_side = 64}), (SizePx{64, 32}));
}

TEST(ChooseSize, TokenCapHoldsEvenForTheThinnestStrip) {
  EXPECT_EQ(*ChooseSize({16'000, 80}, {}, {.max_image_tokens = 64}), (SizePx{64 * 32, 32}));
  EXPECT_EQ(*ChooseSize({80, 16'000}, {}, {.min_side = 512, .max_image_tokens = 7}),
            (SizePx{32, 7 * 32}));
}

TEST(ChooseSize, NamesTheFieldOfImpossibleRanges) {
  const auto param = [](const PictureOptions& options) {
    return ParamOf(ChooseSize({500, 400}, {}, options));
  };
  EXPECT_EQ(param({.min_pixels = 200'000, .max_pixels = 100'000}), "min_pixels");
  EXPECT_EQ(param({.min_pixels = kMaxPixels + 1}), "min_pixels");
  EXPECT_EQ(param({.min_pixels = ~uint64_t{0}}), "min_pixels");
  EXPECT_EQ(param({.max_pixels = 1023}), "max_pixels");
  EXPECT_EQ(param({.min_pixels = 4096, .max_image_tokens = 3}), "min_pixels");
  EXPECT_EQ(param({.max_side = -1}), "max_side");
  EXPECT_EQ(param({.max_side = 31}), "max_side");
  EXPECT_EQ(param({.max_side = 65'537}), "max_side");
  EXPECT_EQ(param({.min_side = -5}), "min_side");
  EXPECT_EQ(param({.max_side = 128, .min_side = 129}), "min_side");
  EXPECT_EQ(param({.max_side = 340, .min_side = 330}), "min_side");
  EXPECT_EQ(ParamOf(ChooseSize({2010, 10}, {}, {})), "aspect_ratio");
}

TEST(ChooseSize, RefusesCheckpointsThatMakeNoSense) {
  const auto param = [](const ProcessorOptions& processor) {
    return ParamOf(ChooseSize({9, 9}, processor, {}));
  };
  EXPECT_EQ(param({.patch_size = 0}), "patch_size");
  EXPECT_EQ(param({.merge_size = -2}), "merge_size");
  EXPECT_EQ(param({.min_pixels = 0}), "size.shortest_edge");
  EXPECT_EQ(param({.min_pixels = 9, .max_pixels = 8}), "size.shortest_edge");
  EXPECT_EQ(param({.max_pixels = uint64_t{1} << 40}), "size.longest_edge");
  EXPECT_EQ(param({.rescale_factor = 0}), "rescale_factor");
  EXPECT_EQ(param({.image_std = {1, 0, 1}}), "image_std");
}

// Whatever is asked, the answer is an error or a whole number of tokens within the caps.
TEST(ChooseSize, RandomOptionsKeepEveryPromise) {
  std::mt19937 rng(1);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(rng);
  };
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const SizePx original{pick(1, 6000), pick(1, 6000)};
    PictureOptions options;
    if (pick(0, 1)) options.max_side = pick(32, 4000);
    if (pick(0, 1)) options.min_side = pick(1, 600);
    if (pick(0, 1)) options.max_image_tokens = static_cast<uint64_t>(pick(1, 5000));
    if (pick(0, 2) == 0) options.min_pixels = static_cast<uint64_t>(pick(1, 200'000));
    const auto size = ChooseSize(original, {}, options);
    if (!size.ok()) continue;
    ++accepted;
    ASSERT_GE(std::min(size->width_px, size->height_px), 32);
    ASSERT_EQ(size->width_px % 32 + size->height_px % 32, 0);
    if (options.max_image_tokens != 0) {
      ASSERT_LE(NumImageTokens(*size, {}), options.max_image_tokens);
    }
    if (options.max_side != 0 && options.min_side == 0) {
      ASSERT_LE(std::max(size->width_px, size->height_px), options.max_side);
    }
  }
  EXPECT_GT(accepted, 5'000);
}

}  // namespace
}  // namespace ocelli
