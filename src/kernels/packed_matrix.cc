#include "kernels/packed_matrix.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/bf16.h"
#include "base/check.h"
#include "kernels/transpose.h"

namespace ocelli {
namespace {

// Inputs that are converted and transposed at once: long stretches of each row suit the
// prefetchers, and 16 rows of them (16 KiB) stay in the L1 cache.
template <typename Weight>
constexpr size_t kBlockInputs = 1024 / sizeof(Weight);
// Numbers that one task of AllExactBf16 looks at.
constexpr size_t kExactChunk = size_t{1} << 18;
// What a thread copies at least: a huge page.
constexpr size_t kCopyBytes = size_t{2} << 20;

size_t WeightBytes(WeightFormat format) { return format == WeightFormat::kBf16 ? 2 : 4; }

// Returns the number of entries that a panel has in block_begins.
size_t NumBlockBegins(size_t num_inputs) { return DivideUp(num_inputs, kSumBlockInputs) + 1; }

template <typename T>
T LoadUnaligned(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

// The bits of a number as they are stored in a matrix; a bfloat16 keeps only the upper half.
template <typename Weight>
Weight BitsOf(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return static_cast<Weight>(sizeof(Weight) == 2 ? bits >> 16 : bits);
}

// Converts `count` numbers of type `dtype` at `in` to weight bits.
template <typename Weight>
void ConvertNumbers(DType dtype, const std::byte* in, size_t count, Weight* out) {
  switch (dtype) {
    case DType::kBf16:
      for (size_t i = 0; i < count; ++i) {
        out[i] = BitsOf<Weight>(ToFloat(LoadUnaligned<Bf16>(in + 2 * i)));
      }
      return;
    case DType::kFloat16:
      for (size_t i = 0; i < count; ++i) {
        out[i] = BitsOf<Weight>(ToFloat(LoadUnaligned<Float16>(in + 2 * i)));
      }
      return;
    case DType::kFloat32:
      for (size_t i = 0; i < count; ++i) out[i] = BitsOf<Weight>(LoadUnaligned<float>(in + 4 * i));
      return;
  }
}

// Rows of a tensor that lie in one panel: lanes [first_lane, first_lane + count).
struct PanelRows {
  DType dtype;
  const std::byte* rows;  // row-major, num_inputs numbers each
  size_t first_lane, count, num_inputs;
};

// Returns the rows of `tensor`, whose first row is output `first_output`, that lie in `panel`.
PanelRows RowsInPanel(const TensorView& tensor, size_t first_output, size_t panel,
                      size_t num_inputs) {
  const size_t end_output = first_output + tensor.NumElements() / num_inputs;
  const size_t begin = std::max(first_output, panel * kPanelRows);
  const size_t end = std::min(end_output, (panel + 1) * kPanelRows);
  if (begin >= end) return {tensor.dtype, nullptr, 0, 0, num_inputs};
  const size_t row_bytes = num_inputs * DTypeBytes(tensor.dtype);
  return {tensor.dtype, tensor.bytes.data() + (begin - first_output) * row_bytes,
          begin % kPanelRows, end - begin, num_inputs};
}

// Turns `rows` rows of a block into lines of 16, from `lines` on.
template <typename Weight>
void StoreLines(const Weight (&block)[kPanelRows][kBlockInputs<Weight>], size_t rows, size_t inputs,
                Weight* lines) {
  constexpr size_t kSide = kSquare<Weight>;
  const size_t whole_rows = rows / kSide * kSide;
  const size_t whole_inputs = inputs / kSide * kSide;
  for (size_t k = 0; k < whole_inputs; k += kSide) {
    for (size_t r = 0; r < whole_rows; r += kSide) {
      TransposeSquare(&block[r][k], kBlockInputs<Weight>, lines + k * kPanelRows + r, kPanelRows);
    }
  }
  for (size_t k = 0; k < inputs; ++k) {
    for (size_t r = k < whole_inputs ? whole_rows : 0; r < rows; ++r) {
      lines[k * kPanelRows + r] = block[r][k];
    }
  }
}

// Writes the lines of `panel`, 16 weights each, where `source` has rows; leaves other lanes alone.
template <typename Weight>
void FillPanel(const PanelRows& source, Weight* panel) {
  const size_t number_bytes = DTypeBytes(source.dtype);
  Weight block[kPanelRows][kBlockInputs<Weight>];
  for (size_t begin = 0; begin < source.num_inputs; begin += kBlockInputs<Weight>) {
    const size_t inputs = std::min(kBlockInputs<Weight>, source.num_inputs - begin);
    for (size_t r = 0; r < source.count; ++r) {
      const std::byte* row = source.rows + (r * source.num_inputs + begin) * number_bytes;
      ConvertNumbers(source.dtype, row, inputs, block[r]);
    }
    Weight* lines = panel + begin * kPanelRows + source.first_lane;
    StoreLines(block, source.count, inputs, lines);
  }
}

// Widens one lane of a kPacked12 panel.
void CopyPacked12Lane(const PanelView& panel, size_t lane, std::span<float> out) {
  for (size_t k = 0; k < out.size(); ++k) {
    const std::byte* unit = panel.lines + k / kUnitLines * kUnitBytes;
    const size_t quad = k % kUnitLines / 4, index = Packed12Index(k % 4, lane);
    const auto sign_mantissa = static_cast<unsigned>(unit[quad * 64 + index]);
    const unsigned place = static_cast<unsigned>(unit[128 + index]) >> (4 * quad) & 15u;
    const unsigned high = panel.table->high[place] | (sign_mantissa & 0x80u);
    const unsigned low = panel.table->low[place] | (sign_mantissa & 0x7Fu);
    out[k] = ToFloat(Bf16{static_cast<uint16_t>(high << 8 | low)});
  }
  const size_t num_blocks = DivideUp(out.size(), kSumBlockInputs);
  for (size_t block = 0; block < num_blocks; ++block) {
    for (uint32_t i = panel.block_begins[block]; i < panel.block_begins[block + 1]; ++i) {
      const Escape& escape = panel.escapes[i];
      if (escape.lane != lane) continue;
      out[block * kSumBlockInputs + escape.input] = ToFloat(Bf16{escape.weight});
    }
  }
}

// Returns whether a kernel that follows the tables of a kPacked12 matrix stays inside them and
// inside the matrix.
bool SideListsFit(size_t num_outputs, size_t num_inputs, const PackedMatrixParts& parts) {
  const size_t begins = NumBlockBegins(num_inputs);
  const size_t num_panels = DivideUp(num_outputs, kPanelRows);
  if (parts.tables.size() != num_panels || parts.block_begins.size() != num_panels * begins ||
      parts.block_begins.back() > parts.escapes.size() ||
      !std::is_sorted(parts.block_begins.begin(), parts.block_begins.end())) {
    return false;
  }
  for (size_t i = 0; i < parts.block_begins.size(); ++i) {
    const size_t block = i % begins;
    if (block + 1 == begins) continue;  // the end of the panel's last block
    const size_t inputs = std::min(kSumBlockInputs, num_inputs - block * kSumBlockInputs);
    for (uint32_t e = parts.block_begins[i]; e < parts.block_begins[i + 1]; ++e) {
      if (parts.escapes[e].input >= inputs || parts.escapes[e].lane >= kPanelRows) return false;
    }
  }
  return true;
}

// Returns whether `count` numbers of type `dtype` at `in` have zeros where bfloat16 has nothing.
bool ExactBf16(DType dtype, const std::byte* in, size_t count) {
  uint32_t lost = 0;
  if (dtype == DType::kFloat32) {
    for (size_t i = 0; i < count; ++i) lost |= LoadUnaligned<uint32_t>(in + 4 * i) & 0xFFFFu;
  } else {
    for (size_t i = 0; i < count; ++i) {
      const float value = ToFloat(LoadUnaligned<Float16>(in + 2 * i));
      lost |= std::bit_cast<uint32_t>(value) & 0xFFFFu;
    }
  }
  return lost == 0;
}

}  // namespace

std::string_view WeightFormatName(WeightFormat format) {
  constexpr std::array<std::string_view, kNumWeightFormats> kNames = {"bf16", "float32",
                                                                      "packed12"};
  return kNames[static_cast<size_t>(format)];
}

PackedMatrix::PackedMatrix(size_t num_outputs, size_t num_inputs, WeightFormat format)
    : buffer_(RoundUp(num_outputs, kPanelRows) * num_inputs * WeightBytes(format)),
      num_outputs_(num_outputs),
      num_inputs_(num_inputs),
      format_(format) {
  OCELLI_CHECK(num_outputs > 0 && num_inputs > 0, "a matrix [{}, {}]", num_outputs, num_inputs);
  OCELLI_CHECK(format != WeightFormat::kPacked12, "12 bits come from Compressed");
  parts_ = OwnParts();
}

size_t PackedMatrix::line_bytes() const {
  return format_ == WeightFormat::kPacked12 ? kUnitBytes / kUnitLines
                                            : kPanelRows * WeightBytes(format_);
}

size_t PackedMatrix::panel_bytes() const {
  return format_ == WeightFormat::kPacked12 ? DivideUp(num_inputs_, kUnitLines) * kUnitBytes
                                            : num_inputs_ * line_bytes();
}

size_t PackedMatrix::size_bytes() const {
  return parts_.lines.size_bytes() + parts_.tables.size_bytes() + parts_.block_begins.size_bytes() +
         parts_.escapes.size_bytes();
}

PanelView PackedMatrix::Panel(size_t p) const {
  PanelView panel;
  panel.lines = parts_.lines.data() + p * panel_bytes();
  if (format_ == WeightFormat::kPacked12) {
    panel.table = &parts_.tables[p];
    panel.block_begins = &parts_.block_begins[p * NumBlockBegins(num_inputs_)];
    panel.escapes = parts_.escapes.data();
  }
  return panel;
}

PackedMatrixParts PackedMatrix::OwnParts() const {
  return {{buffer_.data(), buffer_.size_bytes()}, tables_, block_begins_, escapes_};
}

PackedMatrix PackedMatrix::Compress(size_t num_outputs, size_t num_inputs, PanelReader read,
                                    ThreadPool& pool) {
  PackedMatrix packed;
  packed.num_outputs_ = num_outputs;
  packed.num_inputs_ = num_inputs;
  packed.format_ = WeightFormat::kPacked12;
  const size_t num_panels = packed.num_panels();
  packed.buffer_ = AlignedBuffer(num_panels * packed.panel_bytes());
  packed.tables_.resize(num_panels);
  const size_t begins = NumBlockBegins(num_inputs);
  packed.block_begins_.resize(num_panels * begins);
  std::vector<std::vector<Escape>> escapes(num_panels);
  std::vector<std::vector<uint16_t>> scratch(static_cast<size_t>(pool.num_threads()));
  for (std::vector<uint16_t>& panel : scratch) panel.resize(num_inputs * kPanelRows);
  pool.ForEach(num_panels, [&](size_t p, int worker) {
    const uint16_t* lines = read(p, scratch[static_cast<size_t>(worker)].data());
    const Packed12Packer packer(lines, num_inputs, kSumBlockInputs);
    packer.Write(packed.buffer_.data() + p * packed.panel_bytes());
    packed.tables_[p] = packer.table();
    std::copy(packer.block_begins().begin(), packer.block_begins().end(),
              packed.block_begins_.begin() + static_cast<ptrdiff_t>(p * begins));
    escapes[p] = packer.escapes();
  });
  for (size_t p = 0; p < num_panels; ++p) {
    const auto first = static_cast<uint32_t>(packed.escapes_.size());
    for (size_t i = 0; i < begins; ++i) packed.block_begins_[p * begins + i] += first;
    packed.escapes_.insert(packed.escapes_.end(), escapes[p].begin(), escapes[p].end());
  }
  packed.escapes_.shrink_to_fit();
  packed.parts_ = packed.OwnParts();
  return packed;
}

PackedMatrix PackedMatrix::Copied(ThreadPool& pool) const {
  PackedMatrix copy;
  copy.num_outputs_ = num_outputs_;
  copy.num_inputs_ = num_inputs_;
  copy.format_ = format_;
  copy.buffer_ = AlignedBuffer(parts_.lines.size());
  pool.ForRanges(parts_.lines.size(), kCopyBytes, [&](size_t begin, size_t end, int) {
    std::memcpy(copy.buffer_.data() + begin, parts_.lines.data() + begin, end - begin);
  });
  copy.tables_.assign(parts_.tables.begin(), parts_.tables.end());
  copy.block_begins_.assign(parts_.block_begins.begin(), parts_.block_begins.end());
  copy.escapes_.assign(parts_.escapes.begin(), parts_.escapes.end());
  copy.parts_ = copy.OwnParts();
  return copy;
}

PackedMatrix PackedMatrix::Compressed(ThreadPool& pool) const {
  OCELLI_CHECK(format_ == WeightFormat::kBf16, "only bf16 matrices have 12 bits");
  const auto in_place = [&](size_t p, uint16_t*) {
    return reinterpret_cast<const uint16_t*>(Panel(p).lines);
  };
  return Compress(num_outputs_, num_inputs_, in_place, pool);
}

PackedMatrix PackedMatrix::CompressedOf(std::span<const TensorView> tensors, size_t num_inputs,
                                        ThreadPool& pool) {
  size_t num_outputs = 0;
  for (const TensorView& tensor : tensors) num_outputs += tensor.NumElements() / num_inputs;
  const auto gather = [&](size_t p, uint16_t* lines) {
    std::fill_n(lines, num_inputs * kPanelRows, uint16_t{0});
    size_t first_output = 0;
    for (const TensorView& tensor : tensors) {
      const PanelRows rows = RowsInPanel(tensor, first_output, p, num_inputs);
      if (rows.count > 0) FillPanel(rows, lines);
      first_output += tensor.NumElements() / num_inputs;
    }
    return lines;
  };
  return Compress(num_outputs, num_inputs, gather, pool);
}

Result<PackedMatrix> PackedMatrix::FromParts(size_t num_outputs, size_t num_inputs,
                                             WeightFormat format, const PackedMatrixParts& parts,
                                             std::shared_ptr<const void> memory) {
  PackedMatrix matrix;
  matrix.num_outputs_ = num_outputs;
  matrix.num_inputs_ = num_inputs;
  matrix.format_ = format;
  matrix.parts_ = parts;
  matrix.memory_ = std::move(memory);
  const bool aligned = reinterpret_cast<uintptr_t>(parts.lines.data()) % kCacheLineBytes == 0;
  if (!aligned || parts.lines.size() != matrix.num_panels() * matrix.panel_bytes()) {
    return Error{ErrorCode::kCorruptData, "its lines are not those of a matrix of its size", ""};
  }
  if (format == WeightFormat::kPacked12 && !SideListsFit(num_outputs, num_inputs, parts)) {
    return Error{ErrorCode::kCorruptData, "its tables and escapes contradict its size", ""};
  }
  return matrix;
}

double PackedMatrix::EscapeShare() const {
  return static_cast<double>(parts_.escapes.size()) /
         static_cast<double>(num_outputs_ * num_inputs_);
}

void PackedMatrix::SetRows(size_t first_output, const TensorView& rows, ThreadPool& pool) {
  const size_t count = rows.NumElements() / num_inputs_;
  OCELLI_CHECK(count * num_inputs_ == rows.NumElements() && first_output + count <= num_outputs_,
               "tensor {} at output {} of a matrix [{}, {}]", rows.ShapeString(), first_output,
               num_outputs_, num_inputs_);
  if (count == 0) return;
  const size_t end_output = first_output + count;
  const size_t first_panel = first_output / kPanelRows;
  const size_t num_panels = DivideUp(end_output, kPanelRows) - first_panel;
  pool.ForEach(num_panels, [&](size_t task, int) {
    const size_t panel = first_panel + task;
    const PanelRows source = RowsInPanel(rows, first_output, panel, num_inputs_);
    std::byte* lines = buffer_.data() + panel * panel_bytes();
    if (format_ == WeightFormat::kBf16) {
      FillPanel(source, reinterpret_cast<uint16_t*>(lines));
    } else {
      FillPanel(source, reinterpret_cast<uint32_t*>(lines));
    }
  });
}

void PackedMatrix::CopyRow(size_t n, std::span<float> out) const {
  OCELLI_CHECK(n < num_outputs_ && out.size() == num_inputs_, "row {} of {} into {} of {}", n,
               num_outputs_, out.size(), num_inputs_);
  const PanelView panel = Panel(n / kPanelRows);
  const size_t lane = n % kPanelRows;
  if (format_ == WeightFormat::kPacked12) return CopyPacked12Lane(panel, lane, out);
  for (size_t k = 0; k < num_inputs_; ++k) {
    const std::byte* weight = panel.lines + k * line_bytes() + lane * WeightBytes(format_);
    out[k] = format_ == WeightFormat::kBf16 ? ToFloat(LoadUnaligned<Bf16>(weight))
                                            : LoadUnaligned<float>(weight);
  }
}

bool AllExactBf16(const TensorView& tensor, ThreadPool& pool) {
  if (tensor.dtype == DType::kBf16) return true;
  const size_t total = tensor.NumElements();
  const size_t number_bytes = DTypeBytes(tensor.dtype);
  std::atomic<bool> exact = true;
  pool.ForEach(DivideUp(total, kExactChunk), [&](size_t chunk, int) {
    if (!exact.load(std::memory_order_relaxed)) return;
    const size_t begin = chunk * kExactChunk;
    const size_t count = std::min(kExactChunk, total - begin);
    if (!ExactBf16(tensor.dtype, tensor.bytes.data() + begin * number_bytes, count)) {
      exact.store(false, std::memory_order_relaxed);
    }
  });
  return exact;
}

}  // namespace ocelli
