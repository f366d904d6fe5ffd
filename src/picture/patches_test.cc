#include "picture/patches.h"

#include <cstring>
#include <map>

#include "gtest/gtest.h"
#include "kernels/targets.h"
#include "picture/test_support.h"

namespace ocelli {
namespace {

// The processor of the golden checkpoints, as their preprocessor_config.json has it.
ProcessorOptions GoldenProcessor(const std::string& tied) {
  const auto json =
      picture_test::ReadGoldenJson("checkpoint_" + tied + "/preprocessor_config.json");
  ProcessorOptions processor;
  processor.patch_size = json["patch_size"];
  processor.merge_size = json["merge_size"];
  processor.min_pixels = json["size"]["shortest_edge"];
  processor.max_pixels = json["size"]["longest_edge"];
  processor.image_mean = json["image_mean"];
  processor.image_std = json["image_std"];
  return processor;
}

// The bytes of one tensor of a safetensors file.
std::string_view Tensor(std::string_view file, const std::string& name) {
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), sizeof(header_bytes));
  const auto header = nlohmann::json::parse(file.substr(8, header_bytes));
  if (!header.contains(name)) return {};
  const size_t begin = header[name]["data_offsets"][0];
  const size_t end = header[name]["data_offsets"][1];
  return file.substr(8 + header_bytes + begin, end - begin);
}

// Ours has one of the two equal temporal copies: [channel][2][patch] against [channel][patch].
void ExpectRowsEqual(const Patches& ours, std::string_view golden,
                     const ProcessorOptions& processor) {
  const size_t plane_bytes =
      static_cast<size_t>(processor.patch_size * processor.patch_size) * sizeof(float);
  ASSERT_GE(golden.size(), ours.pixel_values.rows() * 6 * plane_bytes);
  for (size_t row = 0; row < ours.pixel_values.rows(); ++row) {
    for (size_t part = 0; part < 6; ++part) {
      const float* mine =
          ours.pixel_values.view().Row(row) + part / 2 * plane_bytes / sizeof(float);
      ASSERT_EQ(std::memcmp(mine, golden.data() + (row * 6 + part) * plane_bytes, plane_bytes), 0)
          << "row " << row << " part " << part;
    }
  }
}

// Checks all pictures of one golden case; returns how many there were.
size_t CheckCase(const std::string& tied, const std::string& folder, ThreadPool& pool) {
  const ProcessorOptions processor = GoldenProcessor(tied);
  const std::string file = picture_test::ReadGolden(folder + "/expected.safetensors");
  std::string_view pixel_values = Tensor(file, "pixel_values");
  const std::string_view grids = Tensor(file, "image_grid_thw");
  size_t picture = 0;
  for (; 3 * picture * sizeof(int64_t) < grids.size(); ++picture) {
    int64_t grid[3];
    std::memcpy(grid, grids.data() + 3 * picture * sizeof(int64_t), sizeof(grid));
    const auto name = folder + "/picture_" + std::to_string(picture) + ".png";
    const auto ours = PreparePicture(picture_test::Decode(picture_test::ReadGolden(name)).value(),
                                     processor, {}, pool);
    EXPECT_TRUE(ours.ok()) << name;
    EXPECT_EQ(ours->grid_h, static_cast<size_t>(grid[1])) << name;
    EXPECT_EQ(ours->grid_w, static_cast<size_t>(grid[2])) << name;
    EXPECT_EQ(ours->image_tokens, ours->grid_h * ours->grid_w / 4) << name;
    ExpectRowsEqual(*ours, pixel_values, processor);
    pixel_values.remove_prefix(ours->pixel_values.rows() * ours->pixel_values.cols() * 2 *
                               sizeof(float));
  }
  EXPECT_TRUE(pixel_values.empty()) << folder;
  return picture;
}

TEST(PreparePicture, PixelValuesEqualEveryGoldenCaseOnEveryTarget) {
  ThreadPool pool(2);
  for (const Target target : RunnableTargets()) {
    const ScopedTarget scoped(target);
    size_t pictures = 0;
    for (const std::string tied : {"tied", "untied"}) {
      for (const auto& entry :
           std::filesystem::directory_iterator(picture_test::GoldenPath(tied))) {
        pictures += CheckCase(tied, tied + "/" + entry.path().filename().string(), pool);
      }
    }
    EXPECT_GE(pictures, 16u) << TargetName(target);
  }
}

// A picture whose every byte tells where it is.
RgbImage Numbered(int width, int height) {
  RgbImage image{width, height, std::vector<uint8_t>(static_cast<size_t>(width * height) * 3)};
  for (size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = static_cast<uint8_t>(i * 37 % 251);
  return image;
}

TEST(Patchify, FollowsMergeBlockOrderForAnyPatchAndMergeSize) {
  ThreadPool pool(2);
  const std::pair<int, int> sizes[] = {{16, 2}, {14, 2}, {5, 3}, {7, 1}, {32, 2}};
  for (const auto& [patch, merge] : sizes) {
    const ProcessorOptions processor{.patch_size = patch,
                                     .merge_size = merge,
                                     .image_mean = {0.48145466, 0.4578275, 0.40821073},
                                     .image_std = {0.26862954, 0.26130258, 0.27577711}};
    const RgbImage image = Numbered(patch * merge * 3, patch * merge * 2);
    const int tokens_per_row = 3;
    Mat<float> got(static_cast<size_t>(6 * merge * merge), static_cast<size_t>(3 * patch * patch));
    for (const Target target : RunnableTargets()) {
      const ScopedTarget scoped(target);
      Patchify(image, processor, got.view(), pool);
      for (size_t row = 0; row < got.rows(); ++row) {
        const int token = static_cast<int>(row) / (merge * merge);
        const int inside = static_cast<int>(row) % (merge * merge);
        const int top = (token / tokens_per_row * merge + inside / merge) * patch;
        const int left = (token % tokens_per_row * merge + inside % merge) * patch;
        for (size_t col = 0; col < got.cols(); ++col) {
          const int at = static_cast<int>(col) % (patch * patch);
          const size_t c = col / static_cast<size_t>(patch * patch);
          const uint8_t value =
              image.Row(top + at / patch)[3 * static_cast<size_t>(left + at % patch) + c];
          const float mean = static_cast<float>(processor.image_mean[c]) * 255.0f;
          const float std = static_cast<float>(processor.image_std[c]) * 255.0f;
          ASSERT_EQ(got.view()(row, col), (static_cast<float>(value) - mean) / std)
              << patch << " " << row << " " << col;
        }
      }
    }
  }
}

TEST(PreparePicture, ReportsSizesAndTokens) {
  ThreadPool pool(1);
  const auto patches = PreparePicture(Numbered(400, 300), {}, {.max_side = 336}, pool);
  ASSERT_TRUE(patches.ok());
  EXPECT_EQ(patches->original_size, (SizePx{400, 300}));
  EXPECT_EQ(patches->used_size, (SizePx{320, 256}));
  EXPECT_EQ(patches->grid_w, 20u);
  EXPECT_EQ(patches->grid_h, 16u);
  EXPECT_EQ(patches->image_tokens, 80u);
  EXPECT_EQ(patches->pixel_values.rows(), 320u);
  EXPECT_EQ(patches->pixel_values.cols(), 768u);
}

TEST(PreparePicture, PassesErrorsOn) {
  ThreadPool pool(1);
  EXPECT_EQ(PreparePicture(Numbered(40, 30), {}, {.max_side = 3}, pool).error().param, "max_side");
  EXPECT_EQ(PreparePicture({}, {}, {}, pool).error().param, "width");
}

TEST(PictureKey, ChangesWithPixelsSizesAndOptionsOnly) {
  const RgbImage image = Numbered(40, 30);
  const PictureKey key = MakePictureKey(image, {64, 64}, {});
  EXPECT_EQ(MakePictureKey(RgbImage(image), {64, 64}, {}), key);
  RgbImage other = image;
  other.pixels.back() ^= 1;
  EXPECT_NE(MakePictureKey(other, {64, 64}, {}), key);
  RgbImage reshaped = image;
  std::swap(reshaped.width_px, reshaped.height_px);
  EXPECT_NE(MakePictureKey(reshaped, {64, 64}, {}), key);
  EXPECT_NE(MakePictureKey(image, {64, 96}, {}), key);
  EXPECT_NE(MakePictureKey(image, {64, 64}, {.patch_size = 14}), key);
  EXPECT_NE(MakePictureKey(image, {64, 64}, {.image_mean = {0.5, 0.5, 0.4}}), key);
  // Limits that lead to the same used size lead to the same model input.
  EXPECT_EQ(MakePictureKey(image, {64, 64}, {.min_pixels = 1}), key);
}

}  // namespace
}  // namespace ocelli
