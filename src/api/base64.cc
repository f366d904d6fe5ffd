#include "api/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ocelli::api {
namespace {

constexpr int8_t kInvalid = -1;
constexpr int8_t kSpace = -2;  // skipped
constexpr int8_t kPadding = -3;

constexpr std::array<int8_t, 256> MakeTable() {
  std::array<int8_t, 256> table{};
  table.fill(kInvalid);
  for (int i = 0; i < 26; ++i) {
    table[static_cast<size_t>('A' + i)] = static_cast<int8_t>(i);
    table[static_cast<size_t>('a' + i)] = static_cast<int8_t>(26 + i);
  }
  for (int i = 0; i < 10; ++i) table[static_cast<size_t>('0' + i)] = static_cast<int8_t>(52 + i);
  table['+'] = table['-'] = 62;
  table['/'] = table['_'] = 63;
  table[' '] = table['\t'] = table['\r'] = table['\n'] = kSpace;
  table['='] = kPadding;
  return table;
}
constexpr std::array<int8_t, 256> kTable = MakeTable();

Error BadCharacter(char c, size_t place) {
  const bool printable = c > 0x20 && c < 0x7F;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("not base64: {} at character {}",
                           printable ? fmt::format("'{}'", c)
                                     : fmt::format("byte 0x{:02x}", static_cast<uint8_t>(c)),
                           place),
               ""};
}

// Collects 6 bits at a time and hands out whole bytes.
class BitCollector {
 public:
  explicit BitCollector(std::vector<std::byte>& out) : out_(out) {}

  void Add(int8_t six_bits) {
    bits_ = (bits_ << 6) | static_cast<uint32_t>(six_bits);
    ++digits_;
    if (digits_ % 4 == 1) return;
    const int shift = (digits_ % 4 == 2) ? 4 : (digits_ % 4 == 3) ? 2 : 0;
    out_.push_back(static_cast<std::byte>((bits_ >> shift) & 0xFFu));
  }
  size_t digits() const { return digits_; }

 private:
  std::vector<std::byte>& out_;
  uint32_t bits_ = 0;
  size_t digits_ = 0;
};

}  // namespace

Result<std::vector<std::byte>> DecodeBase64(std::string_view text, size_t limit_bytes) {
  // 4 characters make 3 bytes; spaces and padding only make the estimate too high, so the exact
  // count is checked as bytes come out.
  std::vector<std::byte> bytes;
  bytes.reserve(std::min(limit_bytes, text.size() / 4 * 3 + 3));
  BitCollector collector(bytes);
  bool padded = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const int8_t value = kTable[static_cast<uint8_t>(text[i])];
    if (value == kSpace) continue;
    if (value == kPadding) {
      padded = true;
      continue;
    }
    if (value == kInvalid || padded) return BadCharacter(text[i], i);
    collector.Add(value);
    if (bytes.size() > limit_bytes) {
      return Error{
          ErrorCode::kTooLarge,
          fmt::format("the decoded data has more than {} bytes, which is the limit", limit_bytes),
          ""};
    }
  }
  if (collector.digits() % 4 == 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("not base64: cut off ({} digits, one too many for whole bytes)",
                             collector.digits()),
                 ""};
  }
  return bytes;
}

}  // namespace ocelli::api
