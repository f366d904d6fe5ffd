#include "kernels/packed12.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ocelli {
namespace {

constexpr size_t kLanes = 16;
constexpr size_t kQuadBytes = 64;  // of four lines

}  // namespace

Packed12Packer::Packed12Packer(const uint16_t* lines, size_t num_inputs, size_t block_inputs)
    : lines_(lines), num_inputs_(num_inputs) {
  ChooseExponents();
  FindEscapes(block_inputs);
}

void Packed12Packer::ChooseExponents() {
  std::array<uint32_t, 256> counts{};
  for (size_t i = 0; i < num_inputs_ * kLanes; ++i) ++counts[lines_[i] >> 7 & 0xFFu];
  counts[0] = 0;  // has place 0 whether or not it is used
  std::array<uint8_t, 256> order;
  std::iota(order.begin(), order.end(), uint8_t{0});
  // Stable: equal counts keep the order of exponents, so that a panel packs the same every time.
  std::stable_sort(order.begin(), order.end(),
                   [&](uint8_t a, uint8_t b) { return counts[a] > counts[b]; });
  places_.fill(kNoPlace);
  places_[0] = 0;
  for (size_t place = 1; place < kLanes && counts[order[place - 1]] > 0; ++place) {
    const uint8_t exponent = order[place - 1];
    places_[exponent] = static_cast<uint8_t>(place);
    table_.high[place] = static_cast<uint8_t>(exponent >> 1);
    table_.low[place] = static_cast<uint8_t>((exponent & 1u) << 7);
  }
}

void Packed12Packer::FindEscapes(size_t block_inputs) {
  for (size_t k = 0; k < num_inputs_; ++k) {
    if (k % block_inputs == 0) block_begins_.push_back(static_cast<uint32_t>(escapes_.size()));
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint16_t weight = lines_[k * kLanes + lane];
      if (PlaceOf(weight) != kNoPlace) continue;
      escapes_.push_back(
          {static_cast<uint8_t>(k % block_inputs), static_cast<uint8_t>(lane), weight});
    }
  }
  block_begins_.push_back(static_cast<uint32_t>(escapes_.size()));
}

void Packed12Packer::Write(std::byte* units) const {
  std::memset(units, 0, DivideUp(num_inputs_, kUnitLines) * kUnitBytes);
  for (size_t k = 0; k < num_inputs_; ++k) {
    std::byte* unit = units + k / kUnitLines * kUnitBytes;
    const size_t quad = k % kUnitLines / 4;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint16_t weight = lines_[k * kLanes + lane];
      const uint8_t place = PlaceOf(weight);
      if (place == kNoPlace) continue;  // its sign and mantissa stay 0 too: it decodes to 0
      const size_t index = Packed12Index(k % 4, lane);
      unit[quad * kQuadBytes + index] =
          static_cast<std::byte>((weight >> 8 & 0x80u) | (weight & 0x7Fu));
      unit[2 * kQuadBytes + index] |= static_cast<std::byte>(place << (4 * quad));
    }
  }
}

}  // namespace ocelli
