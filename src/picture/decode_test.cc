#include "picture/decode.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "gtest/gtest.h"
#include "picture/test_support.h"

namespace ocelli {
namespace {

using picture_test::AsBytes;
using picture_test::Decode;
using picture_test::Fixture;
using picture_test::LoadFixture;
using picture_test::LoadFixtures;

int LargestDifference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  int most = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(DecodePicture, ShowsEveryFixtureAsPillowDoes) {
  const auto fixtures = LoadFixtures();
  EXPECT_GT(fixtures.size(), 90u);
  for (const Fixture& fixture : fixtures) {
    const auto image = Decode(fixture.file);
    ASSERT_TRUE(image.ok()) << fixture.name << ": " << image.error().message;
    ASSERT_EQ(image->size(), fixture.size) << fixture.name;
    ASSERT_EQ(image->pixels.size(), fixture.pixels.size()) << fixture.name;
    EXPECT_LE(LargestDifference(image->pixels, fixture.pixels), fixture.tolerance) << fixture.name;
  }
}

TEST(ProbePicture, TellsKindSizeFramesAndAlphaOfEveryFixture) {
  for (const Fixture& fixture : LoadFixtures()) {
    const auto info = ProbePicture(AsBytes(fixture.file), {});
    ASSERT_TRUE(info.ok()) << fixture.name << ": " << info.error().message;
    EXPECT_EQ(PictureKindName(info->kind), fixture.kind) << fixture.name;
    EXPECT_EQ(info->size, fixture.size) << fixture.name;
    EXPECT_EQ(info->orientation, fixture.orientation) << fixture.name;
    EXPECT_EQ(info->num_frames, fixture.frames) << fixture.name;
    EXPECT_EQ(info->has_alpha, fixture.alpha) << fixture.name;
  }
}

TEST(DecodePicture, EachLimitHasItsOwnErrorWithValueAndLimit) {
  const std::string file = LoadFixture("plain.png").file;
  const auto expect = [&](const DecodeLimits& limits, ErrorCode code, const char* param,
                          const char* words) {
    for (const Error& error :
         {Decode(file, limits).error(), ProbePicture(AsBytes(file), limits).error()}) {
      EXPECT_EQ(error.code, code);
      EXPECT_EQ(error.param, param);
      EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
    }
  };
  expect({.max_encoded_bytes = 100}, ErrorCode::kTooLarge, "max_encoded_bytes", "the limit is 100");
  expect({.max_pixels = 307}, ErrorCode::kTooLarge, "max_pixels", "22x14 pixels, the limit is 307");
  expect({.max_aspect_ratio = 1.5}, ErrorCode::kInvalidArgument, "max_aspect_ratio",
         "the limit is 1.5:1");
  EXPECT_TRUE(Decode(file, {.max_pixels = 308}).ok());
}

TEST(CheckDeclaredSize, TakesAnyNumberFromAHeader) {
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(CheckDeclaredSize(huge, huge, {}).error().param, "max_pixels");
  EXPECT_EQ(CheckDeclaredSize(-huge, 1, {}).error().code, ErrorCode::kCorruptData);
  EXPECT_EQ(CheckDeclaredSize(0, 10, {}).error().code, ErrorCode::kCorruptData);
  EXPECT_EQ(CheckDeclaredSize(2010, 10, {}).error().param, "max_aspect_ratio");
  EXPECT_TRUE(CheckDeclaredSize(2000, 10, {}).ok());
}

void AppendBig(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
}

uint32_t Crc32(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

std::string PngChunk(const std::string& kind_and_body) {
  std::string chunk;
  AppendBig(chunk, static_cast<uint32_t>(kind_and_body.size() - 4));
  chunk += kind_and_body;
  AppendBig(chunk, Crc32(kind_and_body));
  return chunk;
}

// A PNG that declares width x height pixels in a few kilobytes.
std::string PngBomb(uint32_t width, uint32_t height) {
  std::string header = "IHDR";
  AppendBig(header, width);
  AppendBig(header, height);
  header += std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + PngChunk(header) + PngChunk("IDAT" + std::string(4000, '\0')) +
         PngChunk("IEND");
}

// A JPEG whose frame header says width x height.
std::string JpegBomb(uint32_t width, uint32_t height) {
  std::string file = LoadFixture("plain.jpg").file;
  const size_t frame = file.find(std::string("\xff\xc0\0\x11\x08", 5));
  EXPECT_NE(frame, std::string::npos);
  file[frame + 5] = static_cast<char>(height >> 8);
  file[frame + 6] = static_cast<char>(height);
  file[frame + 7] = static_cast<char>(width >> 8);
  file[frame + 8] = static_cast<char>(width);
  return file + std::string(4000, '\0');
}

TEST(DecodePicture, BombsAreRefusedFromTheHeader) {
  const std::string bombs[] = {PngBomb(20'000, 20'000), JpegBomb(64'250, 64'250)};
  static_cast<void>(
      Decode(LoadFixture("plain.png").file));  // libvips starts outside the measurement
  const picture_test::PeakMemory peak;
  for (const std::string& bomb : bombs) {
    std::vector<std::thread> clients;
    for (int i = 0; i < 8; ++i) {
      clients.emplace_back([&] {
        const auto image = Decode(bomb);
        ASSERT_FALSE(image.ok());
        EXPECT_EQ(image.error().code, ErrorCode::kTooLarge);
        EXPECT_EQ(image.error().param, "max_pixels") << image.error().message;
      });
    }
    for (std::thread& client : clients) client.join();
  }
  EXPECT_LT(peak.RiseBytes(), size_t{50} << 20);
}

TEST(DecodePicture, TooManyJpegScansAreRefused) {
  const std::string progressive = LoadFixture("progressive.jpg").file;
  const size_t last_scan = progressive.rfind("\xff\xda");
  const std::string scan = progressive.substr(last_scan, progressive.size() - 2 - last_scan);
  std::string file = progressive.substr(0, progressive.size() - 2);
  for (int i = 0; i < 200; ++i) file += scan;
  const auto image = Decode(file + "\xff\xd9");
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(image.error().message.find("scans"), std::string::npos) << image.error().message;
}

TEST(DecodePicture, TooManyCompressedTextsInAPngAreRefused) {
  const std::string file = LoadFixture("plain.png").file;
  const size_t header_end = 8 + 25;  // signature and IHDR
  const auto with_texts = [&](int count) {
    std::string texts;
    for (int i = 0; i < count; ++i) texts += PngChunk("iTXt" + std::string("a\0\0\0\0\0b", 7));
    return file.substr(0, header_end) + texts + file.substr(header_end);
  };
  EXPECT_TRUE(Decode(with_texts(100)).ok());
  const auto image = Decode(with_texts(101));
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(image.error().message.find("101 chunks"), std::string::npos) << image.error().message;
}

TEST(DecodePicture, NotAPictureIsRefusedAtOnce) {
  const auto bmp_118 = picture_test::FromHex(
      "424d3200000000e80000360000002800000001000000ffffff7f0100180000000000320000000000000000000000"
      "00000000"
      "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "00000000"
      "000000000000000000000000000000000000");
  const std::string files[] = {"",
                               "<html></html>",
                               "<svg/>",
                               std::string(bmp_118.begin(), bmp_118.end()),
                               std::string("BM\0\1\2", 5),
                               "\xff\xd8\xff",
                               "GIF89a",
                               std::string("RIFF\0\0\0\0WEBP", 12)};
  static_cast<void>(Decode(LoadFixture("plain.png").file));
  for (const std::string& file : files) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(Decode(file).ok());
    EXPECT_FALSE(ProbePicture(AsBytes(file), {}).ok() && file.size() < 100);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
  }
}

// First frame only, and the other 499 cost no pixels.
TEST(DecodePicture, AnAnimationOfFiveHundredFramesStaysFlat) {
  const Fixture two = LoadFixture("two_frames.gif");
  const auto flags = static_cast<uint8_t>(two.file[10]);
  const size_t frames_at = 13 + (flags & 0x80 ? size_t{3} << ((flags & 7) + 1) : 0);
  const std::string frames = two.file.substr(frames_at, two.file.size() - 1 - frames_at);
  std::string many = two.file.substr(0, frames_at);
  for (int i = 0; i < 250; ++i) many += frames;
  const picture_test::PeakMemory peak;
  const auto image = Decode(many + ";");
  ASSERT_TRUE(image.ok()) << image.error().message;
  EXPECT_EQ(image->pixels, two.pixels);
  EXPECT_EQ(ProbePicture(AsBytes(many + ";"), {})->num_frames, 500);
  EXPECT_LT(peak.RiseBytes(), size_t{20} << 20);
}

TEST(DecodePicture, ManyThreadsSeeTheSamePixels) {
  const auto fixtures = LoadFixtures();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < fixtures.size(); ++i) {
        const Fixture& fixture = fixtures[(i * 7 + t * 13) % fixtures.size()];
        const auto image = Decode(fixture.file);
        ASSERT_TRUE(image.ok()) << fixture.name;
        EXPECT_LE(LargestDifference(image->pixels, fixture.pixels), fixture.tolerance)
            << fixture.name;
        static_cast<void>(Decode(fixture.file.substr(0, fixture.file.size() / 2)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(DecodePicture, FiveHundredPicturesLeaveNoMemoryBehind) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer keeps freed memory on purpose";
#endif
  const auto fixtures = LoadFixtures();
  for (const Fixture& fixture : fixtures) static_cast<void>(Decode(fixture.file));
  const size_t before = picture_test::StatusBytes("RssAnon");
  for (size_t i = 0; i < 500; ++i) static_cast<void>(Decode(fixtures[i % fixtures.size()].file));
  EXPECT_LT(picture_test::StatusBytes("RssAnon"), before + (size_t{8} << 20));
}

}  // namespace
}  // namespace ocelli
