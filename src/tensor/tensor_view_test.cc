#include "tensor/tensor_view.h"

#include <cstring>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

TEST(TensorView, WidensEveryTypeFromUnalignedBytes) {
  std::byte storage[17] = {};
  std::byte* const odd = storage + 1;
  const uint16_t bf16[] = {0x3F80, 0xC000};
  std::memcpy(odd, bf16, sizeof(bf16));
  EXPECT_EQ((TensorView{DType::kBf16, {2}, {odd, 4}}.At(1)), -2.0f);
  const uint16_t f16[] = {0x3C00, 0xC000};
  std::memcpy(odd, f16, sizeof(f16));
  EXPECT_EQ((TensorView{DType::kFloat16, {2}, {odd, 4}}.At(0)), 1.0f);
  const float f32[] = {0.1f, 0.2f};
  std::memcpy(odd, f32, sizeof(f32));
  EXPECT_EQ((TensorView{DType::kFloat32, {2}, {odd, 8}}.At(1)), 0.2f);
}

TEST(TensorView, CountsAndPrintsItsShape) {
  const TensorView tensor{DType::kBf16, {2, 3, 4}, {}};
  EXPECT_EQ(tensor.NumElements(), 24u);
  EXPECT_EQ(tensor.ShapeString(), "[2, 3, 4]");
  EXPECT_EQ(DTypeName(DType::kFloat16), "F16");
}

}  // namespace
}  // namespace ocelli
