// Damaged files of every kind: no crash, nothing read out of bounds (with the sanitizers of the dev
// build), bounded time, and what was cut off is never shown as a whole picture.

#include <chrono>
#include <random>

#include "gtest/gtest.h"
#include "picture/decode.h"
#include "picture/test_support.h"

namespace ocelli {
namespace {

using picture_test::Decode;
using picture_test::Fixture;
using picture_test::LoadFixtures;

constexpr DecodeLimits kSmall{.max_pixels = 4'000'000};

// Decodes from memory of exactly the file's size, so that one byte beyond is caught.
Result<RgbImage> DecodeExact(std::string_view file) {
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(file.data()),
                                     reinterpret_cast<const std::byte*>(file.data()) + file.size());
  return DecodePicture(bytes, kSmall);
}

void ExpectSentence(const Error& error, const std::string& where) {
  EXPECT_FALSE(error.message.empty()) << where;
  EXPECT_LT(error.message.size(), 300u) << where;
}

TEST(Damage, EveryCutIsAnErrorOrTheWholePicture) {
  for (const Fixture& fixture : LoadFixtures()) {
    const size_t step = std::max<size_t>(1, fixture.file.size() / 40);
    const auto whole = Decode(fixture.file);
    ASSERT_TRUE(whole.ok()) << fixture.name;
    for (size_t size = 0; size < fixture.file.size(); size += step) {
      const std::string where = fixture.name + " cut at " + std::to_string(size);
      const auto image = DecodeExact(std::string_view(fixture.file).substr(0, size));
      if (image.ok()) {
        EXPECT_EQ(image->pixels, whole->pixels) << where;  // only an unneeded tail was lost
      } else {
        ExpectSentence(image.error(), where);
      }
    }
  }
}

TEST(Damage, JpegCutAtSixtyPercentIsRefused) {
  for (const Fixture& fixture : LoadFixtures()) {
    if (fixture.kind != "JPEG") continue;
    const auto image =
        DecodeExact(std::string_view(fixture.file).substr(0, fixture.file.size() * 6 / 10));
    ASSERT_FALSE(image.ok()) << fixture.name;
    EXPECT_EQ(image.error().code, ErrorCode::kCorruptData) << fixture.name;
  }
}

TEST(Damage, FlippedBytesNeverCrashOrHang) {
  std::mt19937 rng(11);
  for (const Fixture& fixture : LoadFixtures()) {
    for (int round = 0; round < 25; ++round) {
      std::string file = fixture.file;
      // Headers are short and matter most: half of the flips go there.
      const size_t reach = round % 2 == 0 ? std::min<size_t>(file.size(), 128) : file.size();
      for (int flips = 0; flips <= round % 4; ++flips)
        file[rng() % reach] = static_cast<char>(rng());
      const auto start = std::chrono::steady_clock::now();
      const auto image = DecodeExact(file);
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2)) << fixture.name;
      if (!image.ok()) {
        ExpectSentence(image.error(), fixture.name);
      } else {
        EXPECT_EQ(image->pixels.size(), image->size().num_pixels() * 3) << fixture.name;
      }
    }
  }
}

// Every header field of every BMP takes extreme values: this reader is ours.
TEST(Damage, BmpHeadersWithExtremeFieldsAreRefusedOrRead) {
  for (const Fixture& fixture : LoadFixtures()) {
    if (fixture.kind != "BMP") continue;
    for (size_t at = 2; at < 70; ++at) {
      for (const uint32_t value :
           {0u, 1u, 2u, 3u, 6u, 16u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
        std::string file = fixture.file;
        for (size_t i = 0; i < 4 && at + i < file.size(); ++i)
          file[at + i] = static_cast<char>(value >> 8 * i);
        static_cast<void>(DecodeExact(file));
      }
    }
  }
}

TEST(Damage, DamageCostsBoundedMemory) {
  std::mt19937 rng(12);
  const picture_test::PeakMemory peak;
  for (const Fixture& fixture : LoadFixtures()) {
    for (int round = 0; round < 8; ++round) {
      std::string file = fixture.file;
      file[rng() % std::min<size_t>(file.size(), 64)] ^= static_cast<char>(1 << rng() % 8);
      static_cast<void>(DecodeExact(file));
    }
  }
  EXPECT_LT(peak.RiseBytes(), size_t{300} << 20);
}

}  // namespace
}  // namespace ocelli
