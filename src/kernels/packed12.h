#ifndef OCELLI_KERNELS_PACKED12_H_
#define OCELLI_KERNELS_PACKED12_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rounding.h"

namespace ocelli {

// Bfloat16 weights without loss in 12 bits each. Trained weights use few of the 256 exponents, so
// each panel (16 outputs) has a table of 16 and a weight is its sign and mantissa (a byte) and the
// place of its exponent in the table (4 bits). Place 0 is always exponent 0: zeros and denormals.
// The few weights whose exponent is not in the table are stored as 0 and listed as escapes, which
// every kernel adds at the end of the sum block they belong to: all in the same order.
//
//   unit: 8 lines (inputs) of 16 weights                                            192 bytes
//   +-------------------------+-------------------------+-------------------------+
//   | lines 0-3: 64 sign and  | lines 4-7: 64 sign and  | 64 bytes: low nibble =  |
//   | mantissa bytes          | mantissa bytes          | place of the weight at  |
//   |                         |                         | this index of lines 0-3,|
//   |                         |                         | high: of lines 4-7      |
//   +-------------------------+-------------------------+-------------------------+
//
// Within 64 bytes, line i (of 4) and lane l (of 16) stand at l / 4 * 16 + i / 2 * 8 + l % 4 * 2 +
// i % 2: then interleaving the bytes of both halves of a number, which works in 128-bit blocks,
// puts every number in its lane. Lines past the last input are zeros.
inline constexpr size_t kUnitLines = 8;
inline constexpr size_t kUnitBytes = 192;

// Returns where the weight of `line` (of 4) and `lane` stands in its 64 bytes.
constexpr size_t Packed12Index(size_t line, size_t lane) {
  return lane / 4 * 16 + line / 2 * 8 + lane % 4 * 2 + line % 2;
}

// A weight whose exponent is not in its panel's table.
struct Escape {
  uint8_t input = 0;    // within its sum block
  uint8_t lane = 0;     // within its panel
  uint16_t weight = 0;  // bfloat16 bits
};

// The exponents of a panel, ready for byte shuffles: a bfloat16 is the bytes
//   high = high[place] | sign bit,  low = low[place] | 7 bits of mantissa.
struct Packed12Table {
  std::array<uint8_t, 16> high{};  // exponent >> 1
  std::array<uint8_t, 16> low{};   // (exponent & 1) << 7
};

// One panel on its way from bfloat16 to 12 bits.
class Packed12Packer {
 public:
  // Counts the exponents of a panel and makes its table. **Shapes**: lines [num_inputs, 16].
  Packed12Packer(const uint16_t* lines, size_t num_inputs, size_t block_inputs);

  const Packed12Table& table() const { return table_; }
  // Escapes in the order of inputs, then lanes.
  const std::vector<Escape>& escapes() const { return escapes_; }
  // Where those of each sum block begin; one more entry at the end.
  const std::vector<uint32_t>& block_begins() const { return block_begins_; }

  // Writes the panel's units. **Shapes**: units [ceil(num_inputs / 8) * 192].
  void Write(std::byte* units) const;

 private:
  static constexpr uint8_t kNoPlace = 0xFF;

  void ChooseExponents();
  void FindEscapes(size_t block_inputs);
  uint8_t PlaceOf(uint16_t weight) const { return places_[weight >> 7 & 0xFFu]; }

  const uint16_t* lines_;
  size_t num_inputs_;
  std::array<uint8_t, 256> places_{};  // of each exponent, or kNoPlace
  Packed12Table table_;
  std::vector<Escape> escapes_;
  std::vector<uint32_t> block_begins_;
};

}  // namespace ocelli

#endif  // OCELLI_KERNELS_PACKED12_H_
