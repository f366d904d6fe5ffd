#include "base/byte_size.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/quoted.h"

namespace ocelli {
namespace {

constexpr std::string_view kUnits = "KMGT";  // each 1024 times the one before
constexpr double kMostBytes = 0x1p62;        // beyond any machine, within uint64_t

// Takes a unit and what may follow it off the front of `text`; returns how many bytes it stands
// for.
double TakeUnit(std::string_view& text) {
  if (text.empty()) return 1;
  const size_t unit =
      kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.front()))));
  if (unit == std::string_view::npos) return 1;
  text.remove_prefix(1);
  if (text.starts_with("i") || text.starts_with("I")) text.remove_prefix(1);
  return std::exp2(10.0 * static_cast<double>(unit + 1));
}

}  // namespace

Result<uint64_t> ParseByteSize(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  std::string_view rest(stop, static_cast<size_t>(end - stop));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  number *= TakeUnit(rest);
  if (rest.starts_with('b') || rest.starts_with('B')) rest.remove_prefix(1);
  const bool is_size = error == std::errc() && rest.empty() && number >= 0 && number <= kMostBytes;
  if (is_size) return static_cast<uint64_t>(number);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} is not a size such as 512M or 1.5G", Quoted(text)), ""};
}

std::string DescribeBytes(uint64_t size_bytes) {
  if (size_bytes < 1024) return fmt::format("{} B", size_bytes);
  auto value = static_cast<double>(size_bytes);
  size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit + 1 < kUnits.size(); value /= 1024) ++unit;
  return fmt::format("{:.{}f} {}iB", value, kUnits[unit] == 'K' ? 1 : 2, kUnits[unit]);
}

}  // namespace ocelli
