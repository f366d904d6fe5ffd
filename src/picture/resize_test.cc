#include "picture/resize.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "gtest/gtest.h"
#include "kernels/targets.h"
#include "picture/test_support.h"

namespace ocelli {
namespace {

RgbImage Blank(int width, int height) {
  return RgbImage{
      width, height,
      std::vector<uint8_t>(static_cast<size_t>(width) * static_cast<size_t>(height) * 3)};
}

RgbImage Noise(int width, int height, uint32_t seed) {
  RgbImage image = Blank(width, height);
  std::mt19937 rng(seed);
  const bool hard = seed % 2 == 0;
  for (uint8_t& byte : image.pixels)
    byte = static_cast<uint8_t>(hard ? (rng() & 1) * 255 : rng() & 255);
  return image;
}

// ---- a second, plain implementation of the same definition: doubles, one sample at a time ----

double PlainBicubic(double x) {
  x = std::fabs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0;
}

// One output sample of a line of `in` samples, `step` bytes apart.
uint8_t PlainSample(const uint8_t* line, size_t step, int in, int out, int at) {
  const double scale = static_cast<double>(in) / out;
  const double wide = std::max(scale, 1.0);
  const double center = (at + 0.5) * scale;
  const int first = std::max(0, static_cast<int>(center - 2 * wide + 0.5));
  const int end = std::min(in, static_cast<int>(center + 2 * wide + 0.5));
  double total = 0;
  for (int x = first; x < end; ++x) total += PlainBicubic((x - center + 0.5) * (1 / wide));
  int64_t sum = 1 << 21;
  for (int x = first; x < end; ++x) {
    const double weight = PlainBicubic((x - center + 0.5) * (1 / wide)) / total * (1 << 22);
    sum += static_cast<int64_t>(weight < 0 ? weight - 0.5 : weight + 0.5) *
           line[static_cast<size_t>(x) * step];
  }
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> 22, 0, 255));
}

RgbImage PlainWidth(const RgbImage& image, int width) {
  if (width == image.width_px) return image;
  RgbImage out = Blank(width, image.height_px);
  for (int y = 0; y < image.height_px; ++y) {
    for (int x = 0; x < 3 * width; ++x) {
      out.Row(y)[x] = PlainSample(image.Row(y) + x % 3, 3, image.width_px, width, x / 3);
    }
  }
  return out;
}

RgbImage PlainHeight(const RgbImage& image, int height) {
  if (height == image.height_px) return image;
  RgbImage out = Blank(image.width_px, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < 3 * image.width_px; ++x) {
      out.Row(y)[x] =
          PlainSample(image.pixels.data() + x, image.row_bytes(), image.height_px, height, y);
    }
  }
  return out;
}

RgbImage PlainResize(const RgbImage& image, SizePx size) {
  const int lost_width = image.width_px - size.width_px;
  const int lost_height = image.height_px - size.height_px;
  if (lost_height > 0 && lost_height > 2 * lost_width)
    return PlainWidth(PlainHeight(image, size.height_px), size.width_px);
  return PlainHeight(PlainWidth(image, size.width_px), size.height_px);
}

// Runs `body` on every target that this machine has.
template <typename Body>
void OnEveryTarget(Body body) {
  for (const Target target : RunnableTargets()) {
    SCOPED_TRACE(std::string(TargetName(target)));
    const ScopedTarget scoped(target);
    body();
  }
}

TEST(ResizeBicubic, EqualsPillowOnTheGoldenPictures) {
  ThreadPool pool(2);
  int cases = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(picture_test::GoldenPath("resize"))) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("out_")) continue;
    const RgbImage in =
        picture_test::Decode(picture_test::ReadGolden("resize/in_" + name.substr(4, 1) + ".png"))
            .value();
    const RgbImage expected =
        picture_test::Decode(picture_test::ReadGolden("resize/" + name)).value();
    OnEveryTarget([&] {
      EXPECT_EQ(ResizeBicubic(in, expected.size(), pool).pixels, expected.pixels) << name;
    });
    ++cases;
  }
  EXPECT_EQ(cases, 8);
}

// The picture of a case in resize_more: see picture() in tools/golden/make_resize_cases.py.
RgbImage CasePicture(int width, int height, uint64_t seed) {
  RgbImage image = Blank(width, height);
  for (uint64_t at = 0; at < image.pixels.size(); ++at) {
    uint64_t z = (at + seed) * 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z = (z ^ z >> 31) >> 56;
    if (seed % 3 == 1) z = z < 128 ? 0 : 255;
    if (seed % 3 == 2) z = at * 7 + at / (3 * static_cast<uint64_t>(width)) * 5;
    image.pixels[at] = static_cast<uint8_t>(z);
  }
  return image;
}

TEST(ResizeBicubic, EqualsPillowOnMadeUpPictures) {
  ThreadPool pool(2);
  for (const auto& c : picture_test::ReadGoldenJson("resize_more/cases.json")) {
    const RgbImage in = CasePicture(c["from"][0], c["from"][1], c["seed"]);
    const SizePx size{c["to"][0], c["to"][1]};
    const uint64_t expected = std::strtoull(c["xxh3_64"].get<std::string>().c_str(), nullptr, 16);
    OnEveryTarget([&] {
      const RgbImage out = ResizeBicubic(in, size, pool);
      EXPECT_EQ(XXH3_64bits(out.pixels.data(), out.pixels.size()), expected) << c;
    });
  }
}

TEST(ResizeBicubic, EveryTargetEqualsThePlainTwinOnRandomSizes) {
  ThreadPool pool(2);
  std::mt19937 rng(3);
  const auto pick = [&](int high) { return std::uniform_int_distribution(1, high)(rng); };
  for (uint32_t i = 0; i < 60; ++i) {
    const int high = i % 3 == 0 ? 20 : 130;
    const RgbImage in = Noise(pick(high), pick(high), i);
    const SizePx size{pick(high), pick(high)};
    const RgbImage expected = PlainResize(in, size);
    OnEveryTarget([&] {
      EXPECT_EQ(ResizeBicubic(in, size, pool).pixels, expected.pixels)
          << in.width_px << "x" << in.height_px << " to " << size.width_px << "x" << size.height_px;
    });
  }
}

TEST(ResizeBicubic, HugeShrinkAndGrowthEqualThePlainTwin) {
  ThreadPool pool(1);
  const std::pair<SizePx, SizePx> cases[] = {{{6000, 40}, {32, 32}}, {{40, 6000}, {32, 32}},
                                             {{1, 1}, {65, 67}},     {{1, 500}, {33, 1}},
                                             {{500, 1}, {1, 33}},    {{3, 2}, {700, 90}}};
  for (const auto& [from, to] : cases) {
    const RgbImage in = Noise(from.width_px, from.height_px, 8);
    const RgbImage expected = PlainResize(in, to);
    OnEveryTarget(
        [&] { EXPECT_EQ(ResizeBicubic(in, to, pool).pixels, expected.pixels) << from.width_px; });
  }
}

TEST(ResizeBicubic, ThreadsDoNotChangeABit) {
  const RgbImage in = Noise(777, 555, 4);
  ThreadPool one(1);
  const RgbImage expected = ResizeBicubic(in, {352, 256}, one);
  for (int threads : {2, 3, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(ResizeBicubic(in, {352, 256}, pool).pixels, expected.pixels);
  }
}

TEST(ResizeBicubic, TheSameSizeIsTheSamePicture) {
  ThreadPool pool(1);
  const RgbImage in = Noise(50, 40, 5);
  EXPECT_EQ(ResizeBicubic(in, {50, 40}, pool).pixels, in.pixels);
}

TEST(ResizeBicubic, AFlatPictureStaysFlat) {
  ThreadPool pool(1);
  RgbImage in = Blank(97, 61);
  for (size_t i = 0; i < in.pixels.size(); ++i)
    in.pixels[i] = static_cast<uint8_t>(i % 3 == 0 ? 255 : i % 3 == 1 ? 0 : 131);
  const RgbImage out = ResizeBicubic(in, {224, 32}, pool);
  for (size_t i = 0; i < out.pixels.size(); ++i) ASSERT_EQ(out.pixels[i], in.pixels[i % 3]);
}

}  // namespace
}  // namespace ocelli
