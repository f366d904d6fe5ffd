#include "kernels/packed_matrix.h"

#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/bf16.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

// A tensor whose bytes start at an odd address.
class OddTensor {
 public:
  OddTensor(DType dtype, std::vector<size_t> shape) {
    view_ = {dtype, std::move(shape), {}};
    bytes_.resize(view_.NumElements() * DTypeBytes(dtype) + 1);
    view_.bytes = std::span(bytes_).subspan(1);
  }
  // Fills with random bits of finite numbers that bfloat16 holds exactly.
  void FillExactBf16(unsigned seed) {
    std::minstd_rand random(seed);
    for (size_t i = 0; i < view_.NumElements(); ++i) {
      const auto sign_mantissa = static_cast<uint16_t>(random());
      // Exponents of both bfloat16 and binary16; the mantissa's 7 upper bits.
      const auto bf16 = static_cast<uint16_t>((sign_mantissa & 0x807Fu) | (120 + i % 10) << 7);
      Set(i, ToFloat(Bf16{bf16}));
    }
  }
  void Set(size_t i, float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    std::byte* at = bytes_.data() + 1 + i * DTypeBytes(view_.dtype);
    if (view_.dtype == DType::kFloat32) {
      std::memcpy(at, &bits, 4);
    } else if (view_.dtype == DType::kBf16) {
      const auto half = static_cast<uint16_t>(bits >> 16);
      std::memcpy(at, &half, 2);
    } else {
      const uint32_t magnitude = bits & 0x7FFFFFFFu;
      const auto half =
          static_cast<uint16_t>((bits >> 16 & 0x8000u) | ((magnitude >> 13) - (112u << 10)));
      std::memcpy(at, &half, 2);
    }
  }
  const TensorView& view() const { return view_; }

 private:
  std::vector<std::byte> bytes_;
  TensorView view_;
};

float Element(const PackedMatrix& w, size_t n, size_t k) {
  const size_t index = (n / 16 * w.num_inputs() + k) * 16 + n % 16;
  if (w.format() == WeightFormat::kBf16) {
    return ToFloat(reinterpret_cast<const Bf16*>(w.Panel(0).lines)[index]);
  }
  return reinterpret_cast<const float*>(w.Panel(0).lines)[index];
}

constexpr DType kTypes[] = {DType::kBf16, DType::kFloat16, DType::kFloat32};
constexpr WeightFormat kFormats[] = {WeightFormat::kBf16, WeightFormat::kFloat32};

// Bfloat16 numbers with every exponent, most of them near 1.
PackedMatrix ManyExponents(size_t outputs, size_t inputs, ThreadPool& pool) {
  std::minstd_rand random(static_cast<unsigned>(outputs * 131 + inputs));
  std::vector<uint16_t> numbers(outputs * inputs);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto bits = static_cast<uint16_t>(random());
    const uint16_t exponent = i % 9 == 0 ? static_cast<uint16_t>(random() % 255) : 120 + bits % 8;
    numbers[i] = static_cast<uint16_t>((bits & 0x807Fu) | exponent << 7);
  }
  PackedMatrix matrix(outputs, inputs, WeightFormat::kBf16);
  matrix.SetRows(0, {DType::kBf16, {outputs, inputs}, std::as_bytes(std::span(numbers))}, pool);
  return matrix;
}

TEST(PackedMatrix, TwelveBitsHoldEveryNumberExactly) {
  ThreadPool pool(2);
  for (const size_t inputs : {1u, 7u, 8u, 100u, 128u, 129u, 520u}) {
    for (const size_t outputs : {1u, 16u, 45u}) {
      const PackedMatrix bf16 = ManyExponents(outputs, inputs, pool);
      const PackedMatrix packed = bf16.Compressed(pool);
      std::vector<float> want(inputs), got(inputs);
      for (size_t n = 0; n < outputs; ++n) {
        bf16.CopyRow(n, want);
        packed.CopyRow(n, got);
        for (size_t k = 0; k < inputs; ++k) {
          ASSERT_EQ(std::bit_cast<uint32_t>(got[k]), std::bit_cast<uint32_t>(want[k]))
              << "[" << outputs << ", " << inputs << "] at " << n << ", " << k;
        }
      }
    }
  }
}

TEST(PackedMatrix, ACopyIsTheSameAndStandsAlone) {
  ThreadPool pool(2);
  for (const bool packed12 : {false, true}) {
    std::vector<float> want(520), got(520);
    PackedMatrix copy;
    {
      const PackedMatrix bf16 = ManyExponents(45, 520, pool);
      const PackedMatrix matrix = packed12 ? bf16.Compressed(pool) : bf16.Copied(pool);
      copy = matrix.Copied(pool);
      EXPECT_NE(copy.parts().lines.data(), matrix.parts().lines.data());
      EXPECT_EQ(copy.size_bytes(), matrix.size_bytes());
    }
    const PackedMatrix bf16 = ManyExponents(45, 520, pool);
    for (size_t n = 0; n < 45; ++n) {
      bf16.CopyRow(n, want);
      copy.CopyRow(n, got);
      EXPECT_EQ(got, want) << n;
    }
  }
}

TEST(PackedMatrix, TwelveBitsTakeThreeQuartersOfTheMemory) {
  ThreadPool pool(2);
  std::minstd_rand random(5);
  std::normal_distribution<float> normal(0, 0.02f);
  std::vector<float> numbers(512 * 1024);
  for (float& number : numbers) number = ToFloat(RoundToBf16(normal(random)));
  PackedMatrix bf16(512, 1024, WeightFormat::kBf16);
  bf16.SetRows(0, {DType::kFloat32, {512, 1024}, std::as_bytes(std::span(numbers))}, pool);
  const PackedMatrix packed = bf16.Compressed(pool);
  EXPECT_LT(static_cast<double>(packed.size_bytes()),
            0.755 * static_cast<double>(bf16.size_bytes()));
  EXPECT_LT(packed.EscapeShare(), 0.001);
}

// The parts of a matrix, where a test can change them.
struct LooseParts {
  explicit LooseParts(const PackedMatrix& matrix)
      : lines(matrix.parts().lines.size()),
        tables(matrix.parts().tables.begin(), matrix.parts().tables.end()),
        block_begins(matrix.parts().block_begins.begin(), matrix.parts().block_begins.end()),
        escapes(matrix.parts().escapes.begin(), matrix.parts().escapes.end()) {
    std::copy(matrix.parts().lines.begin(), matrix.parts().lines.end(), lines.data());
  }
  PackedMatrixParts view() const {
    return {{lines.data(), lines.size_bytes()}, tables, block_begins, escapes};
  }

  AlignedBuffer lines;
  std::vector<Packed12Table> tables;
  std::vector<uint32_t> block_begins;
  std::vector<Escape> escapes;
};

TEST(PackedMatrix, FromPartsReadsThemWhereTheyAre) {
  ThreadPool pool(1);
  const PackedMatrix whole = ManyExponents(45, 300, pool).Compressed(pool);
  const auto parts = std::make_shared<LooseParts>(whole);
  const auto matrix =
      PackedMatrix::FromParts(45, 300, WeightFormat::kPacked12, parts->view(), parts);
  ASSERT_TRUE(matrix.ok()) << matrix.error().message;
  EXPECT_EQ(matrix->Panel(1).lines, parts->lines.data() + matrix->panel_bytes());
  std::vector<float> want(300), got(300);
  for (size_t n = 0; n < 45; ++n) {
    whole.CopyRow(n, want);
    matrix->CopyRow(n, got);
    ASSERT_EQ(std::memcmp(want.data(), got.data(), 1200), 0) << n;
  }
}

TEST(PackedMatrix, FromPartsRefusesWhatKernelsCouldNotFollow) {
  ThreadPool pool(1);
  const PackedMatrix whole = ManyExponents(45, 300, pool).Compressed(pool);
  const auto refused = [&](auto change) {
    LooseParts parts(whole);
    change(parts);
    return !PackedMatrix::FromParts(45, 300, WeightFormat::kPacked12, parts.view(), nullptr).ok();
  };
  EXPECT_FALSE(refused([](LooseParts&) {}));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.lines = AlignedBuffer(64); }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.tables.pop_back(); }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.block_begins.pop_back(); }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.block_begins.back() += 1; }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.block_begins[1] = 1'000'000; }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.escapes.clear(); }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.escapes.front().lane = 16; }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.escapes.front().input = 128; }));
  EXPECT_TRUE(refused([](LooseParts& parts) { parts.escapes.back().input = 300 - 256; }));
  EXPECT_TRUE(PackedMatrix::FromParts(46, 301, WeightFormat::kBf16, whole.parts(), nullptr).ok() ==
              false);
}

TEST(PackedMatrix, TensorsOneUnderTheOtherAreCompressedAsOne) {
  ThreadPool pool(2);
  // 20 outputs: the second tensor begins in the middle of a panel.
  const size_t inputs = 100;
  std::minstd_rand random(9);
  std::vector<uint16_t> a(20 * inputs), b(30 * inputs);
  for (auto* numbers : {&a, &b}) {
    for (uint16_t& number : *numbers) number = static_cast<uint16_t>(random() % 0x7F00);
  }
  const TensorView tensors[] = {{DType::kBf16, {20, inputs}, std::as_bytes(std::span(a))},
                                {DType::kBf16, {30, inputs}, std::as_bytes(std::span(b))}};
  PackedMatrix plain(50, inputs, WeightFormat::kBf16);
  plain.SetRows(0, tensors[0], pool);
  plain.SetRows(20, tensors[1], pool);
  const PackedMatrix want = plain.Compressed(pool);
  const PackedMatrix got = PackedMatrix::CompressedOf(tensors, inputs, pool);
  EXPECT_EQ(got.num_outputs(), 50u);
  const LooseParts w(want), g(got);
  EXPECT_TRUE(std::equal(want.parts().lines.begin(), want.parts().lines.end(),
                         got.parts().lines.begin(), got.parts().lines.end()));
  EXPECT_EQ(w.block_begins, g.block_begins);
  EXPECT_EQ(w.escapes.size(), g.escapes.size());
}

TEST(PackedMatrix, PutsEachNumberWhereTheHeaderSays) {
  ThreadPool pool(2);
  for (const DType dtype : kTypes) {
    for (const WeightFormat format : kFormats) {
      for (const size_t k : {1u, 31u, 64u, 513u}) {
        for (const size_t n : {1u, 16u, 37u}) {
          OddTensor tensor(dtype, {n, k});
          tensor.FillExactBf16(static_cast<unsigned>(n + k));
          PackedMatrix w(n, k, format);
          w.SetRows(0, tensor.view(), pool);
          for (size_t i = 0; i < n * k; ++i) {
            ASSERT_EQ(Element(w, i / k, i % k), tensor.view().At(i))
                << DTypeName(dtype) << " " << tensor.view().ShapeString() << " at " << i;
          }
          for (size_t pad = n; pad < w.num_panels() * 16; ++pad) EXPECT_EQ(Element(w, pad, 0), 0);
        }
      }
    }
  }
}

TEST(PackedMatrix, KeepsEveryFloat32Number) {
  ThreadPool pool(1);
  OddTensor tensor(DType::kFloat32, {20, 33});
  for (size_t i = 0; i < 20 * 33; ++i) tensor.Set(i, 1.0f + static_cast<float>(i) * 0x1p-23f);
  PackedMatrix w(20, 33, WeightFormat::kFloat32);
  w.SetRows(0, tensor.view(), pool);
  for (size_t i = 0; i < 20 * 33; ++i) EXPECT_EQ(Element(w, i / 33, i % 33), tensor.view().At(i));
}

TEST(PackedMatrix, SeveralTensorsShareOne) {
  ThreadPool pool(3);
  OddTensor q(DType::kBf16, {21, 70}), k(DType::kFloat32, {5, 70}), v(DType::kFloat16, {50, 70});
  q.FillExactBf16(1);
  k.FillExactBf16(2);
  v.FillExactBf16(3);
  PackedMatrix w(76, 70, WeightFormat::kBf16);
  w.SetRows(26, v.view(), pool);
  w.SetRows(0, q.view(), pool);
  w.SetRows(21, k.view(), pool);
  std::vector<float> row(70), want(70);
  for (size_t n = 0; n < 76; ++n) {
    const TensorView& source = n < 21 ? q.view() : n < 26 ? k.view() : v.view();
    WidenTo(source, (n < 21 ? n : n < 26 ? n - 21 : n - 26) * 70, want);
    w.CopyRow(n, row);
    EXPECT_EQ(row, want) << n;
  }
}

TEST(PackedMatrix, TakesTensorsOfMoreDimensionsAsRows) {
  ThreadPool pool(1);
  OddTensor tensor(DType::kBf16, {18, 3, 2, 4, 4});
  tensor.FillExactBf16(4);
  PackedMatrix w(18, 96, WeightFormat::kBf16);
  w.SetRows(0, tensor.view(), pool);
  for (size_t i = 0; i < 18 * 96; ++i) EXPECT_EQ(Element(w, i / 96, i % 96), tensor.view().At(i));
}

TEST(PackedMatrix, StartsAsZerosOnACacheLine) {
  const PackedMatrix w(17, 5, WeightFormat::kFloat32);
  EXPECT_EQ(w.num_panels(), 2u);
  EXPECT_EQ(w.size_bytes(), 2u * 16 * 5 * 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(w.Panel(0).lines) % kCacheLineBytes, 0u);
  EXPECT_EQ(w.Panel(1).lines - w.Panel(0).lines, 16 * 5 * 4);
  for (size_t n = 0; n < 32; ++n) EXPECT_EQ(Element(w, n, 4), 0.0f);
}

TEST(AllExactBf16, FindsTheOneNumberThatIsNot) {
  ThreadPool pool(2);
  for (const DType dtype : {DType::kFloat16, DType::kFloat32}) {
    OddTensor tensor(dtype, {301, 997});
    tensor.FillExactBf16(5);
    EXPECT_TRUE(AllExactBf16(tensor.view(), pool));
    for (const size_t at : {size_t{0}, size_t{150000}, size_t{301 * 997 - 1}}) {
      tensor.FillExactBf16(5);
      tensor.Set(at, 1.0f + 0x1p-10f);
      EXPECT_FALSE(AllExactBf16(tensor.view(), pool)) << DTypeName(dtype) << " at " << at;
    }
  }
}

TEST(AllExactBf16, AlwaysHoldsForBf16) {
  ThreadPool pool(1);
  OddTensor tensor(DType::kBf16, {3, 5});
  tensor.Set(7, -0x1p-130f);
  EXPECT_TRUE(AllExactBf16(tensor.view(), pool));
}

}  // namespace
}  // namespace ocelli
