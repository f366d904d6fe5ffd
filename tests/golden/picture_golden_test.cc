// The pictures of the golden cases, from PNG bytes to patches: bit for bit what the reference feeds
// its vision encoder.
#include <cstring>

#include "base/file.h"
#include "checkpoint/model_directory.h"
#include "golden_case.h"
#include "gtest/gtest.h"
#include "picture/decode.h"
#include "picture/patches.h"

namespace ocelli {
namespace {

Patches Prepare(const GoldenCase& golden, size_t index, ThreadPool& pool) {
  const auto directory = ModelDirectory::Open(GoldenDirectory() / golden.checkpoint);
  const auto bytes = ReadFile(golden.picture_path(index), size_t{1} << 24);
  const auto image = DecodePicture(std::as_bytes(std::span(*bytes)), DecodeLimits());
  return PreparePicture(*image, ProcessorOptionsOf(directory->preprocessor_config),
                        PictureOptions(), pool)
      .value();
}

class PictureGolden : public ::testing::TestWithParam<std::string> {};

// The reference repeats every channel of a patch for its two temporal steps.
TEST_P(PictureGolden, PixelValuesAreBitEqual) {
  ThreadPool pool(2);
  for (const GoldenCase& golden : LoadGoldenCases(GetParam())) {
    size_t row = 0;
    for (size_t i = 0; i < golden.num_pictures(); ++i) {
      SCOPED_TRACE(golden.name + ", picture " + std::to_string(i));
      const Patches patches = Prepare(golden, i, pool);
      const int64_t* grid = &golden["image_grid_thw"].integers[3 * i];
      ASSERT_EQ(static_cast<int64_t>(patches.grid_h), grid[1]);
      ASSERT_EQ(static_cast<int64_t>(patches.grid_w), grid[2]);
      const MatView<const float> expected = golden["pixel_values"].FloatMat();
      const size_t area = patches.pixel_values.cols() / 3;
      size_t unequal = 0;
      for (size_t r = 0; r < patches.pixel_values.rows(); ++r, ++row) {
        for (size_t step = 0; step < 6; ++step) {  // channel, temporal step
          unequal += std::memcmp(patches.pixel_values.view().Row(r) + step / 2 * area,
                                 expected.Row(row) + step * area, area * sizeof(float)) != 0;
        }
      }
      EXPECT_EQ(unequal, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, PictureGolden, ::testing::Values("tied", "untied"),
                         [](const auto& family) { return family.param; });

}  // namespace
}  // namespace ocelli
